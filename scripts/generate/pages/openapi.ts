/** `docs/reference/openapi.json`: the service without a profile, at the address of the emulator's command. */
import { openApiDocument, resolveContract } from "../../../provider/contract";
import type { Generated } from "../files";

const BASE_URL = "http://127.0.0.1:4010/v1";

export const openapi = (): Generated => ({
  "docs/reference/openapi.json": JSON.stringify(
    openApiDocument(resolveContract(), { baseUrl: BASE_URL }),
  ),
});
