// Command descriptors lists the methods, messages and constants that the protocol of Terraform's
// plugins has in HashiCorp's own Go modules, one a line, for the generator of our message tables. It
// needs what the Go provider of the benchmarks does, so that it runs in that one's module:
//
//	cd scripts/engines/modules/go-peer
//	go run ../../../../test/terraform/support/descriptors/main.go > FOLDER/protocol.txt
//
// Nothing else of the modules is copied: their licence, the MPL-2.0, covers the .proto file.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	// Importing a package registers its descriptors.
	_ "github.com/hashicorp/go-plugin"
	_ "github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

var files = []string{
	"tfplugin6.proto",
	"grpc/health/v1/health.proto",
	"grpc_controller.proto",
	"grpc_broker.proto",
	"grpc_stdio.proto",
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprintln(out, "# Written by main.go from the descriptors of HashiCorp's modules. Do not edit.")
	for _, name := range files {
		file, err := find(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for i := 0; i < file.Services().Len(); i++ {
			printService(out, file.Services().Get(i))
		}
		printEnums(out, file.Enums())
		printMessages(out, file.Messages())
	}
}

// find looks a file up by the end of its path: each module registers its files under another folder.
func find(name string) (found protoreflect.FileDescriptor, err error) {
	err = fmt.Errorf("no module registers %s", name)
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		path := file.Path()
		if path == name || strings.HasSuffix(path, "/"+name) {
			found, err = file, nil
		}
		return err != nil
	})
	return found, err
}

func printService(out *bufio.Writer, service protoreflect.ServiceDescriptor) {
	for i := 0; i < service.Methods().Len(); i++ {
		method := service.Methods().Get(i)
		kind := "unary"
		if method.IsStreamingServer() {
			kind = "stream"
		}
		if method.IsStreamingClient() {
			kind = "held"
		}
		fmt.Fprintf(out, "method /%s/%s %s %s %s\n", service.FullName(), method.Name(), kind,
			method.Input().FullName(), method.Output().FullName())
	}
}

func printEnums(out *bufio.Writer, enums protoreflect.EnumDescriptors) {
	for i := 0; i < enums.Len(); i++ {
		enum := enums.Get(i)
		for j := 0; j < enum.Values().Len(); j++ {
			value := enum.Values().Get(j)
			fmt.Fprintf(out, "enum %s %s %d\n", enum.FullName(), value.Name(), value.Number())
		}
	}
}

func printMessages(out *bufio.Writer, messages protoreflect.MessageDescriptors) {
	for i := 0; i < messages.Len(); i++ {
		message := messages.Get(i)
		if message.IsMapEntry() {
			continue
		}
		fmt.Fprintf(out, "message %s\n", message.FullName())
		for j := 0; j < message.Fields().Len(); j++ {
			field := message.Fields().Get(j)
			fmt.Fprintf(out, "field %s %s %d %s %s\n", message.FullName(), field.Name(),
				field.Number(), label(field), typeOf(field))
		}
		printEnums(out, message.Enums())
		printMessages(out, message.Messages())
	}
}

func label(field protoreflect.FieldDescriptor) string {
	switch {
	case field.IsMap():
		return "map"
	case field.IsList():
		return "list"
	case field.HasPresence():
		return "optional"
	default:
		return "single"
	}
}

func typeOf(field protoreflect.FieldDescriptor) string {
	if field.IsMap() {
		field = field.MapValue()
	}
	switch {
	case field.Message() != nil:
		return string(field.Message().FullName())
	case field.Enum() != nil:
		return string(field.Enum().FullName())
	default:
		return field.Kind().String()
	}
}
