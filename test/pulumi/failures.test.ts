import { expect, test } from "@jest/globals";
import { ErpHostError } from "../../provider/client";
import { message } from "../../provider/messages";
import { dynamicVoice, failureText, pluginVoice } from "../../provider/pulumi/voice";

const refused = new ErpHostError({
  code: "validation_error",
  operation: "POST /instances",
  status: 422,
  why: message("value_refused", { field: "server_id", quoted: "refers to no server" }),
});

test.each([dynamicVoice, pluginVoice])(
  "a failed call names the field as a Pulumi program writes it",
  (voice) => {
    expect(failureText(voice, refused)).toContain("serverId: refers to no server");
  },
);

test("a wrong key names the stack's configuration", () => {
  const error = new ErpHostError({
    code: "invalid_token",
    operation: "GET /servers",
    status: 401,
    why: message("key_refused", {}),
  });
  for (const voice of [pluginVoice, dynamicVoice]) {
    const text = failureText(voice, error);
    expect(text).toContain("erphost:apiKey (ERPHOST_API_KEY)");
    expect(text).toContain("run `pulumi config set --secret erphost:apiKey`");
  }
});
