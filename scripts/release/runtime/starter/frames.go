package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// HTTP/2 as far as answering a few calls of one message each needs it (RFC 9113). The frames are the
// library's, but not its server, which says GOAWAY when it likes.

const (
	frameBytesMax = 16_384 // what a peer that says nothing else takes and sends
	windowBytes   = 65_535 // what a peer that says nothing else takes before it is asked again
	tableBytesMax = 4_096  // what a peer that says nothing else remembers of headers
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
	frames *http2.Framer
	window int // bytes of data that may still be sent
}

// openSession exchanges what begins a connection.
func openSession(stream io.ReadWriter) (*session, error) {
	begin := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(stream, begin); err != nil {
		return nil, err
	}
	if string(begin) != http2.ClientPreface {
		return nil, errMalformed
	}
	frames := http2.NewFramer(stream, stream)
	frames.SetMaxReadFrameSize(frameBytesMax)
	frames.ReadMetaHeaders = hpack.NewDecoder(tableBytesMax, nil)
	frames.MaxHeaderListSize = windowBytes
	return &session{frames, windowBytes}, frames.WriteSettings()
}

// next waits for a frame that matters to calls: a call's path, the end of a call, or its reset. What
// concerns the connection itself is answered here.
func (session *session) next() (call, error) {
	for {
		next, err := session.frames.ReadFrame()
		if err != nil {
			return call{}, err
		}
		stream := next.Header().StreamID
		switch frame := next.(type) {
		case *http2.SettingsFrame:
			if frame.IsAck() {
				continue
			}
			// How much the peer takes, where that is less than usual.
			if window, isSet := frame.Value(http2.SettingInitialWindowSize); isSet {
				session.window = min(session.window, int(window))
			}
			err = session.frames.WriteSettingsAck()
		case *http2.PingFrame:
			if !frame.IsAck() {
				err = session.frames.WritePing(true, frame.Data)
			}
		case *http2.MetaHeadersFrame:
			if frame.Truncated {
				return call{}, errMalformed
			}
			return call{stream: stream, path: frame.PseudoValue("path"), ended: frame.StreamEnded()}, nil
		case *http2.DataFrame:
			if frame.StreamEnded() {
				return call{stream: stream, ended: true}, nil
			}
		case *http2.RSTStreamFrame:
			return call{stream: stream, reset: true}, nil
		case *http2.GoAwayFrame:
			err = io.EOF
		}
		if err != nil {
			return call{}, err
		}
	}
}

// begin sends what comes before a call's messages.
func (session *session) begin(stream uint32) error {
	return session.headers(stream, false, field(":status", "200"), field("content-type", "application/grpc"))
}

// message sends the only message of a call.
func (session *session) message(stream uint32, content []byte) error {
	all := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(content)))
	all = append(all, content...)
	session.window -= len(all)
	for len(all) > 0 {
		part := all[:min(len(all), frameBytesMax)]
		if err := session.frames.WriteData(stream, false, part); err != nil {
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
	return session.headers(stream, true, field("grpc-status", "0"))
}

const unimplemented = "12"

// refuse says that there is no such call.
func (session *session) refuse(stream uint32, path string) error {
	return session.headers(stream, true,
		field(":status", "200"), field("content-type", "application/grpc"),
		field("grpc-status", unimplemented), field("grpc-message", "there is no method "+path))
}

// goAway tells the peer that nothing after this call was or will be looked at here.
func (session *session) goAway(last uint32) error {
	return session.frames.WriteGoAway(last, http2.ErrCodeNo, nil)
}

// field is kept in no table that both sides would have to remember.
func field(name, value string) hpack.HeaderField {
	return hpack.HeaderField{Name: name, Value: value, Sensitive: true}
}

func (session *session) headers(stream uint32, isLast bool, fields ...hpack.HeaderField) error {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	encoder.SetMaxDynamicTableSizeLimit(0)
	for _, one := range fields {
		_ = encoder.WriteField(one) // a buffer takes everything
	}
	return session.frames.WriteHeaders(http2.HeadersFrameParam{
		StreamID: stream, BlockFragment: block.Bytes(), EndStream: isLast, EndHeaders: true,
	})
}
