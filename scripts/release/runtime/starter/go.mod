module github.com/erphost/erphost/starter

go 1.25

require (
	github.com/klauspost/compress v1.20.3
	golang.org/x/net v0.47.0
	golang.org/x/sys v0.38.0
)

require golang.org/x/text v0.31.0 // indirect
