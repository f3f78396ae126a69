//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Every command of Terraform starts a provider only to ask for its schema, which never changes
// within a release. The starter answers that itself, in a fraction of the time and memory that
// Node.js takes to start. At the first call of another kind it tells the engine that it has not
// looked at that call, which gRPC then makes again on a new connection (RFC 9113, 6.8), and becomes
// Node.js, which takes over the socket. No call is ever passed on, so none can be made twice.

const (
	cookieName  = "TF_PLUGIN_MAGIC_COOKIE"
	cookieValue = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
	protocol    = "6"
)

const (
	// As in the provider: a parent that is alive has ten seconds to connect.
	parentCheck     = 50 * time.Millisecond
	parentChecksMax = 200
	handshakeMax    = 10 * time.Second
	farewellMax     = time.Second
)

// held are streams that engines open beside their calls; nothing is ever sent on them.
var held = []string{"/plugin.GRPCBroker/StartStream", "/plugin.GRPCStdio/StreamStdio"}

const (
	healthPath   = "/grpc.health.v1.Health/Check"
	shutdownPath = "/plugin.GRPCController/Shutdown"
)

var serving = []byte{0x08, 0x01}

// front listens where the engine is told to connect.
type front struct {
	folder   string
	listener *net.UnixListener
	config   *tls.Config
	calls    []string
	answers  map[string][]byte
	secrets  secrets
}

// secrets let Node.js go on where the front stops.
type secrets struct {
	Key         string `json:"key"`
	Certificate string `json:"certificate"`
	Folder      string `json:"folder"`
}

// answerFirst serves an engine until it makes a call that Node.js has to answer, and returns what
// Node.js takes over. It returns nothing where Node.js does everything: also where something is
// wrong, because it has the sentences for that.
func answerFirst(all manifest, args []string) *served {
	if len(all.Answers) == 0 || len(args) > 0 || os.Getenv(cookieName) != cookieValue ||
		!slices.Contains(strings.Split(os.Getenv("PLUGIN_PROTOCOL_VERSIONS"), ","), protocol) {
		return nil
	}
	clients := x509.NewCertPool()
	if !clients.AppendCertsFromPEM([]byte(os.Getenv("PLUGIN_CLIENT_CERT"))) {
		return nil
	}
	opened, err := openFront(all, clients)
	if err != nil {
		return nil
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() {
		<-stop
		opened.end(1)
	}()
	certificate := base64.RawStdEncoding.EncodeToString(opened.config.Certificates[0].Certificate[0])
	fmt.Printf("1|%s|unix|%s|grpc|%s\n", protocol, opened.listener.Addr(), certificate)
	opened.serve(os.Getppid())
	return &served{opened.handOver(), opened.close}
}

func openFront(all manifest, clients *x509.CertPool) (*front, error) {
	answers := map[string][]byte{healthPath: serving, shutdownPath: nil}
	for path, member := range all.Answers {
		content, err := payload.ReadFile("payload/" + member)
		if err != nil {
			return nil, err
		}
		answers[path] = content
	}
	certificate, text, err := makeCertificate()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "erphost-")
	if err != nil {
		return nil, err
	}
	address := &net.UnixAddr{Name: filepath.Join(folder, "provider.sock"), Net: "unix"}
	listener, err := net.ListenUnix("unix", address)
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	text.Folder = folder
	config := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    clients,
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"h2"},
	}
	return &front{folder, listener, config, all.Calls, answers, text}, nil
}

// serve returns when a call came that Node.js has to answer.
func (front *front) serve(parent int) {
	for checks := 0; ; checks++ {
		_ = front.listener.SetDeadline(time.Now().Add(parentCheck))
		connection, err := front.listener.Accept()
		if err != nil {
			if os.Getppid() != parent || checks >= parentChecksMax || !os.IsTimeout(err) {
				front.end(1)
			}
			continue
		}
		if front.converse(connection) == handOver {
			return
		}
		checks = 0
	}
}

type outcome int

const (
	gone outcome = iota // without a goodbye; the engine may connect again
	handOver
)

// converse answers what it can on one connection.
func (front *front) converse(raw net.Conn) outcome {
	defer raw.Close()
	connection := tls.Server(raw, front.config)
	_ = raw.SetDeadline(time.Now().Add(handshakeMax))
	if connection.Handshake() != nil {
		return gone
	}
	_ = raw.SetDeadline(time.Time{})
	session, err := openSession(connection)
	if err != nil {
		return gone
	}
	last := uint32(0)
	begun := map[uint32]string{} // calls whose callers are not done yet
	var open []uint32            // streams that are held
	for {
		next, err := session.next()
		if err != nil {
			return gone
		}
		path := next.path
		if next.reset {
			delete(begun, next.stream)
			continue
		}
		if path == "" { // a call that has begun before
			path = begun[next.stream]
			if path == "" {
				continue
			}
		} else if front.isForNode(path, session) {
			_ = session.goAway(answered(last, begun))
			for _, stream := range open {
				_ = session.end(stream)
			}
			farewell(raw, session)
			return handOver
		}
		last = max(last, next.stream)
		if slices.Contains(held, path) {
			open = append(open, next.stream)
			err = session.begin(next.stream)
		} else if next.ended {
			delete(begun, next.stream)
			err = front.answer(session, next.stream, path)
		} else {
			begun[next.stream] = path
		}
		if err != nil {
			return gone
		}
		if path == shutdownPath && next.ended {
			farewell(raw, session)
			front.end(0)
		}
	}
}

// answered is the last call before all that are to be made again: begun ones have no answer yet.
// Those in between that have one are closed already, for both sides.
func answered(last uint32, begun map[uint32]string) uint32 {
	for stream := range begun {
		last = min(last, stream-min(stream, 2)) // the streams of callers have odd numbers
	}
	return last
}

// isForNode tells calls that are answered here, or that nobody knows, from all others.
func (front *front) isForNode(path string, session *session) bool {
	if content, isKnown := front.answers[path]; isKnown {
		return !session.takes(content)
	}
	return slices.Contains(front.calls, path)
}

func (front *front) answer(session *session, stream uint32, path string) error {
	content, isKnown := front.answers[path]
	if !isKnown {
		return session.refuse(stream, path)
	}
	if err := session.begin(stream); err != nil {
		return err
	}
	if err := session.message(stream, content); err != nil {
		return err
	}
	return session.end(stream)
}

// farewell waits until the engine has read everything and closed the connection.
func farewell(raw net.Conn, session *session) {
	_ = raw.SetDeadline(time.Now().Add(farewellMax))
	for {
		if _, err := session.next(); err != nil {
			return
		}
	}
}

func (front *front) close() {
	front.listener.Close()
	for _, file := range passed {
		file.Close()
	}
	os.RemoveAll(front.folder)
}

func (front *front) end(code int) {
	front.close()
	os.Exit(code)
}

// handOver leaves the socket and the secrets open for the program that this process becomes. An
// engine that connects before that program listens waits in the socket's queue.
func (front *front) handOver() []string {
	socket, err := front.listener.File()
	if err != nil {
		front.end(1)
	}
	text, err := json.Marshal(front.secrets)
	if err != nil {
		front.end(1)
	}
	read, write, err := os.Pipe()
	if err != nil {
		front.end(1)
	}
	_, err = write.Write(text) // less than a pipe holds
	if err != nil || write.Close() != nil {
		front.end(1)
	}
	for _, file := range []*os.File{socket, read} {
		if _, err := unix.FcntlInt(file.Fd(), unix.F_SETFD, 0); err != nil {
			front.end(1)
		}
	}
	passed = []*os.File{socket, read}
	signal.Reset(syscall.SIGTERM)
	return []string{fmt.Sprintf("--take-over=%d,%d", socket.Fd(), read.Fd())}
}

// passed keeps files from being closed as unused while this process becomes another program.
var passed []*os.File

const certificateLife = 366 * 24 * time.Hour

// makeCertificate signs itself, for localhost: both sides know the other's certificate beforehand.
func makeCertificate() (tls.Certificate, secrets, error) {
	fail := func(err error) (tls.Certificate, secrets, error) { return tls.Certificate{}, secrets{}, err }
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fail(err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return fail(err)
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "localhost"},
		DNSNames:              []string{"localhost"},
		SerialNumber:          serial,
		NotBefore:             time.Now().Add(-time.Minute),
		NotAfter:              time.Now().Add(certificateLife),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment |
			x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return fail(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fail(err)
	}
	text := func(kind string, content []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}))
	}
	certificate := tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}
	return certificate, secrets{text("PRIVATE KEY", private), text("CERTIFICATE", signed), ""}, nil
}
