/** Each version of each engine that is here has what the guide says, and refuses the rest. */
import { expect, test } from "@jest/globals";
import { HEADER } from "../../harness/terraform-workspace";
import { BOTH, describeOn, describeOnOldest, type Ground } from "../support/engines";
import { FEATURES } from "../support/features";

const claims = (ground: Ground): void => {
  test.each(FEATURES)("has, or has not yet: $name", async ({ since, command, files }) => {
    const here = await ground.attach(HEADER);
    for (const [name, text] of Object.entries(files)) {
      here.write(name, name === "main.tf" ? HEADER + text : text);
    }
    const first = since[ground.engine];
    const { code, output } = await here.run(...command);
    const isThere = first !== undefined && ground.is(first);
    expect({ code, output }).toMatchObject({ code: isThere ? 0 : 1 });
    if (!isThere)
      expect(output).toMatch(/Unsupported (?:block type|argument)|flag provided|-query/);
  });
};

describeOn(BOTH, claims);
describeOnOldest(claims);
