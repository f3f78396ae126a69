/** `BENCH_COUNT` servers. */
import * as erphost from "erphost/pulumi";

for (let index = 0; index < Number(process.env["BENCH_COUNT"]); index += 1) {
  new erphost.Server(`server-${index}`, { name: `server-${index}` });
}
