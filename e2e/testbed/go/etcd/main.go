// Command etcd is the etcd server as upstream releases it. A main package of
// our own, because the module proxy serves the server as a library whose own
// main sits outside any package that a go.mod of ours could require cleanly.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
