// Command go-peer is a provider with our resources and data sources that does nothing else, made with
// HashiCorp's framework: what the benchmarks compare our provider with. A create waits for PEER_CREATE_MS
// milliseconds, as long as one call to the service takes.
package main

import (
	"context"
	"log"
	"os"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return peer{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/bench/peer", ProtocolVersion: 6})
	if err != nil {
		log.Fatal(err)
	}
}

type peer struct{}

func (peer) Metadata(_ context.Context, _ provider.MetadataRequest, answer *provider.MetadataResponse) {
	answer.TypeName = "erphost"
}

func (peer) Schema(_ context.Context, _ provider.SchemaRequest, answer *provider.SchemaResponse) {
	answer.Schema = providerSchema()
}

func (peer) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (peer) Resources(context.Context) []func() resource.Resource {
	var all []func() resource.Resource
	for name, schema := range resourceSchemas {
		all = append(all, func() resource.Resource { return managed{name, schema} })
	}
	return all
}

func (peer) DataSources(context.Context) []func() datasource.DataSource {
	var all []func() datasource.DataSource
	for name, schema := range dataSourceSchemas {
		all = append(all, func() datasource.DataSource { return read{name, schema} })
	}
	return all
}

type managed struct {
	name   string
	schema func() resourceschema.Schema
}

func (one managed) Metadata(_ context.Context, _ resource.MetadataRequest, answer *resource.MetadataResponse) {
	answer.TypeName = one.name
}

func (one managed) Schema(_ context.Context, _ resource.SchemaRequest, answer *resource.SchemaResponse) {
	answer.Schema = one.schema()
}

func (managed) Create(_ context.Context, request resource.CreateRequest, answer *resource.CreateResponse) {
	ms, _ := strconv.Atoi(os.Getenv("PEER_CREATE_MS"))
	time.Sleep(time.Duration(ms) * time.Millisecond)
	answer.State.Raw = known(request.Plan.Raw, &answer.Diagnostics)
}

func (managed) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (managed) Update(_ context.Context, request resource.UpdateRequest, answer *resource.UpdateResponse) {
	answer.State.Raw = known(request.Plan.Raw, &answer.Diagnostics)
}

func (managed) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// known is what was planned, with a text for each text that the service would say, and null for what
// else it would.
func known(planned tftypes.Value, failures *diag.Diagnostics) tftypes.Value {
	made, err := tftypes.Transform(planned, func(_ *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if value.IsKnown() {
			return value, nil
		}
		if value.Type().Is(tftypes.String) {
			return tftypes.NewValue(tftypes.String, "made"), nil
		}
		return tftypes.NewValue(value.Type(), nil), nil
	})
	if err != nil {
		failures.AddError("No values", err.Error())
	}
	return made
}

type read struct {
	name   string
	schema func() datasourceschema.Schema
}

func (one read) Metadata(_ context.Context, _ datasource.MetadataRequest, answer *datasource.MetadataResponse) {
	answer.TypeName = one.name
}

func (one read) Schema(_ context.Context, _ datasource.SchemaRequest, answer *datasource.SchemaResponse) {
	answer.Schema = one.schema()
}

func (read) Read(context.Context, datasource.ReadRequest, *datasource.ReadResponse) {}
