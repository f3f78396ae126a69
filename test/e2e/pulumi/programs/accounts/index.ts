/** Three accounts: the stack's own, one of a component, and one of a resource. */
import * as pulumi from "@pulumi/pulumi";
import * as erphost from "erphost/pulumi";

const config = new pulumi.Config();

class Shop extends pulumi.ComponentResource {
  readonly servers: pulumi.Output<number>;

  constructor(name: string, options?: pulumi.ComponentResourceOptions) {
    super("acme:Shop", name, {}, options);
    const server = new erphost.Server("shop", { name: "shop" }, { parent: this });
    new erphost.Instance("erp", { name: "erp", serverId: server.id }, { parent: server });
    const all = erphost.getServersOutput({ name: server.name }, { parent: this });
    this.servers = all.length;
  }
}

new erphost.Server("own", { name: "own" });
const shop = new Shop("shop", erphost.inAccount(config.get("shop") ?? "eu"));
new erphost.Server("single", { name: "single" }, { account: config.get("single") ?? "us" });

export const servers = shop.servers;
export const key = erphost.getAuth({ account: "us" }).then(({ keyId }) => keyId);
