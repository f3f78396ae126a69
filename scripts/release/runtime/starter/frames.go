package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"golang.org/x/net/http2/hpack"
)

// HTTP/2 as far as answering a few calls of one message each needs it (RFC 9113).

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

const (
	frameData         = 0x0
	frameHeaders      = 0x1
	frameReset        = 0x3
	frameSettings     = 0x4
	framePing         = 0x6
	frameGoAway       = 0x7
	frameContinuation = 0x9
)

const (
	flagEndStream  = 0x1
	flagAck        = 0x1
	flagEndHeaders = 0x4
	flagPadded     = 0x8
	flagPriority   = 0x20
)

const (
	frameBytesMax = 16_384 // what a peer that says nothing else takes and sends
	windowBytes   = 65_535 // what a peer that says nothing else takes before it is asked again
	settingWindow = 0x4
)

var errMalformed = errors.New("what came is not HTTP/2")

// call is a request whose path is known.
type call struct {
	stream uint32
	path   string
	ended  bool // the caller has sent all of it
	reset  bool // the caller wants no answer any more
}

// session is one connection.
type session struct {
	stream  io.ReadWriter
	decoder *hpack.Decoder
	headers bytes.Buffer // of the call whose frames are arriving
	fields  []hpack.HeaderField
	window  int // bytes of data that may still be sent
}

// openSession exchanges what begins a connection.
func openSession(stream io.ReadWriter) (*session, error) {
	begin := make([]byte, len(preface))
	if _, err := io.ReadFull(stream, begin); err != nil {
		return nil, err
	}
	if string(begin) != preface {
		return nil, errMalformed
	}
	opened := &session{stream: stream, window: windowBytes}
	opened.decoder = hpack.NewDecoder(4096, func(field hpack.HeaderField) {
		opened.fields = append(opened.fields, field)
	})
	return opened, opened.write(frameSettings, 0, 0, nil)
}

func (session *session) write(kind, flags byte, stream uint32, content []byte) error {
	frame := make([]byte, 9, 9+len(content))
	frame[0], frame[1], frame[2] = byte(len(content)>>16), byte(len(content)>>8), byte(len(content))
	frame[3], frame[4] = kind, flags
	binary.BigEndian.PutUint32(frame[5:], stream)
	_, err := session.stream.Write(append(frame, content...))
	return err
}

// next waits for a frame that matters to calls: a call's path, the end of a call, or its reset. What
// concerns the connection itself is answered here.
func (session *session) next() (call, error) {
	for {
		kind, flags, stream, content, err := session.read()
		if err != nil {
			return call{}, err
		}
		switch kind {
		case frameSettings:
			if flags&flagAck != 0 {
				continue
			}
			session.heed(content)
			err = session.write(frameSettings, flagAck, 0, nil)
		case framePing:
			if flags&flagAck == 0 {
				err = session.write(framePing, flagAck, 0, content)
			}
		case frameHeaders:
			path, err := session.pathOf(flags, content)
			return call{stream: stream, path: path, ended: flags&flagEndStream != 0}, err
		case frameData:
			if flags&flagEndStream != 0 {
				return call{stream: stream, ended: true}, nil
			}
		case frameReset:
			return call{stream: stream, reset: true}, nil
		case frameGoAway:
			err = io.EOF
		}
		if err != nil {
			return call{}, err
		}
	}
}

func (session *session) read() (kind, flags byte, stream uint32, content []byte, err error) {
	head := make([]byte, 9)
	if _, err = io.ReadFull(session.stream, head); err != nil {
		return
	}
	length := int(head[0])<<16 | int(head[1])<<8 | int(head[2])
	if length > frameBytesMax {
		err = errMalformed
		return
	}
	content = make([]byte, length)
	_, err = io.ReadFull(session.stream, content)
	return head[3], head[4], binary.BigEndian.Uint32(head[5:]) &^ (1 << 31), content, err
}

// heed notes how much a peer takes, where that is less than usual.
func (session *session) heed(settings []byte) {
	for ; len(settings) >= 6; settings = settings[6:] {
		if binary.BigEndian.Uint16(settings) != settingWindow {
			continue
		}
		session.window = min(session.window, int(binary.BigEndian.Uint32(settings[2:])))
	}
}

// pathOf reads the headers of a call to their end.
func (session *session) pathOf(flags byte, content []byte) (string, error) {
	padding := 0
	if flags&flagPadded != 0 && len(content) > 0 {
		padding, content = int(content[0]), content[1:]
	}
	if flags&flagPriority != 0 && len(content) >= 5 {
		content = content[5:]
	}
	if padding > len(content) {
		return "", errMalformed
	}
	session.headers.Reset()
	session.headers.Write(content[:len(content)-padding])
	for flags&flagEndHeaders == 0 {
		var kind byte
		var err error
		kind, flags, _, content, err = session.read()
		if err != nil {
			return "", err
		}
		if kind != frameContinuation || session.headers.Len() > windowBytes {
			return "", errMalformed
		}
		session.headers.Write(content)
	}
	session.fields = session.fields[:0]
	if _, err := session.decoder.Write(session.headers.Bytes()); err != nil {
		return "", err
	}
	if err := session.decoder.Close(); err != nil {
		return "", err
	}
	for _, field := range session.fields {
		if field.Name == ":path" {
			return field.Value, nil
		}
	}
	return "", nil
}

// begin sends what comes before a call's messages.
func (session *session) begin(stream uint32) error {
	fields := []hpack.HeaderField{
		{Name: ":status", Value: "200"}, {Name: "content-type", Value: "application/grpc"},
	}
	return session.write(frameHeaders, flagEndHeaders, stream, encoded(fields))
}

// message sends the only message of a call.
func (session *session) message(stream uint32, content []byte) error {
	all := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(content)))
	all = append(all, content...)
	session.window -= len(all)
	for len(all) > 0 {
		part := all[:min(len(all), frameBytesMax)]
		if err := session.write(frameData, 0, stream, part); err != nil {
			return err
		}
		all = all[len(part):]
	}
	return nil
}

// takes tells whether the peer takes a message without being asked for more room.
func (session *session) takes(content []byte) bool { return len(content)+5 <= session.window }

// end says that a call succeeded.
func (session *session) end(stream uint32) error {
	fields := []hpack.HeaderField{{Name: "grpc-status", Value: "0"}}
	return session.write(frameHeaders, flagEndHeaders|flagEndStream, stream, encoded(fields))
}

const unimplemented = "12"

// refuse says that there is no such call.
func (session *session) refuse(stream uint32, path string) error {
	fields := []hpack.HeaderField{
		{Name: ":status", Value: "200"}, {Name: "content-type", Value: "application/grpc"},
		{Name: "grpc-status", Value: unimplemented},
		{Name: "grpc-message", Value: "there is no method " + path},
	}
	return session.write(frameHeaders, flagEndHeaders|flagEndStream, stream, encoded(fields))
}

// goAway tells the peer that nothing after this call was or will be looked at here.
func (session *session) goAway(last uint32) error {
	content := make([]byte, 8) // the second half says: no error
	binary.BigEndian.PutUint32(content, last)
	return session.write(frameGoAway, 0, 0, content)
}

// encoded uses no table that both sides would have to keep.
func encoded(fields []hpack.HeaderField) []byte {
	var out bytes.Buffer
	encoder := hpack.NewEncoder(&out)
	encoder.SetMaxDynamicTableSizeLimit(0)
	for _, field := range fields {
		field.Sensitive = true
		_ = encoder.WriteField(field) // a buffer takes everything
	}
	return out.Bytes()
}
