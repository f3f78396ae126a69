/** The schema of what `erphost plan-summary --format json` prints. */
import * as z from "zod";
import { summarySchema } from "../../../cli/plan-summary/schema";
import type { Generated } from "../files";

export const planSummarySchema = (): Generated => ({
  "docs/reference/plan-summary.schema.json": JSON.stringify(z.toJSONSchema(summarySchema)),
});
