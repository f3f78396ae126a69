/** S3, for states that Terraform (`s3`) and Pulumi (`s3://`) keep in it: versitygw, over a folder. */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startServer } from "../../../harness/servers";
import { onPath } from "../../../harness/terraform-workspace";
import type { Store } from "./place";

const REGION = "eu-central-1";
const program = onPath("versitygw");

export const hasS3 = program !== undefined;

/** A service that is not Amazon's has none of the others that Terraform asks about a key. */
const NOT_AMAZON = [
  "skip_credentials_validation=true",
  "skip_requesting_account_id=true",
  "skip_metadata_api_check=true",
  "skip_region_validation=true",
  "use_path_style=true",
];

/** A server of its own on a free port, with a key, which is gone when it is closed. */
export async function startS3(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "erphost-s3-"));
  const [buckets, attributes] = [join(folder, "buckets"), join(folder, "attributes")];
  for (const each of [buckets, attributes]) mkdirSync(each);
  const access = { id: "states", secret: randomBytes(16).toString("hex") };
  const address = `http://127.0.0.1:${await freePort()}`;
  const server = await startServer({
    name: "versitygw",
    program: program ?? "",
    words: [
      ...["--access", access.id, "--secret", access.secret, "--region", REGION],
      ...["--port", address.replace("http://", ""), "--health", "/health"],
      // What it notes of objects is kept in a folder, as not every file system has attributes.
      ...["posix", "--sidecar", attributes, buckets],
    ],
    folder,
    ready: `${address}/health`,
  });
  const env = {
    AWS_ACCESS_KEY_ID: access.id,
    AWS_SECRET_ACCESS_KEY: access.secret,
    AWS_REGION: REGION,
    AWS_EC2_METADATA_DISABLED: "true",
  };
  return {
    async place(name) {
      mkdirSync(join(buckets, name));
      const words = [`bucket=${name}`, ...NOT_AMAZON].map((each) => `-backend-config=${each}`);
      const query = `endpoint=${address}&disable_https=true&s3ForcePathStyle=true`;
      return {
        terraform: { ...env, AWS_ENDPOINT_URL_S3: address, TF_CLI_ARGS_init: words.join(" ") },
        pulumi: { ...env, PULUMI_BACKEND_URL: `s3://${name}?region=${REGION}&${query}` },
        async content() {
          const files = readdirSync(join(buckets, name), { recursive: true, withFileTypes: true });
          return files
            .filter((file) => file.isFile())
            .map((file) => readFileSync(join(file.parentPath, file.name), "utf8"))
            .join("\n");
        },
      };
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
