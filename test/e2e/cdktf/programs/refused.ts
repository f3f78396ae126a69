/** For each Aspect that demands something at synthesis, a program that it refuses. */
import type { IAspect } from "cdktf";
import {
  ApiKey,
  Instance,
  MaxKeyAge,
  NoAdminKeys,
  NoWideKeys,
  RequireBackup,
  Server,
  SetProperties,
  type ErphostStack,
} from "../../../../cdktf-bindings";

interface Refused {
  readonly aspect: IAspect;
  /** What the Aspect refuses; nothing else does. */
  readonly declare: (stack: ErphostStack) => unknown;
  /** The path of the construct, and what is wrong with it. */
  readonly says: string;
}

const permissions = ["servers:read", "servers:delete"] as const;

export const refused: Readonly<Record<string, Refused>> = {
  MaxKeyAge: {
    aspect: new MaxKeyAge("30d"),
    declare: (stack) => new ApiKey(stack, "late", { permissions, rotateAfter: "31d" }),
    says: "[live-erp/late] rotateAfter is 31d, and MaxKeyAge allows a key to be 30d old at most.",
  },
  NoAdminKeys: {
    aspect: new NoAdminKeys(),
    declare: (stack) => new ApiKey(stack, "boss", { permissions: ["admin"] }),
    says: "[live-erp/boss] permissions includes admin, which NoAdminKeys refuses.",
  },
  NoWideKeys: {
    aspect: new NoWideKeys(),
    declare: (stack) => {
      const web = new Server(stack, "web", { deletionProtection: true });
      new ApiKey(stack, "wide", { permissions }).usedBy(web, { for: "plan" });
    },
    says: "[live-erp/wide] permissions go beyond what live-erp/web needs: servers:delete.",
  },
  RequireBackup: {
    aspect: new RequireBackup({ by: ["schedule"] }),
    declare: (stack) => new Instance(stack, "bare", { server: new Server(stack, "web") }),
    says: "[live-erp/bare] RequireBackup finds no backup of this instance.",
  },
  SetProperties: {
    aspect: new SetProperties({ status: "running" }, ["server"]),
    declare: (stack) => new Server(stack, "web"),
    says: "[live-erp/web] properties.status ",
  },
};
