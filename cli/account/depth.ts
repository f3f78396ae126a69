/** How deep texts of others may be nested: deeper ones are not looked at. */
import { isDeeper, type ServiceRecord } from "../../provider/contract";
import { visible } from "../../provider/messages";

/** Of a program, of an emulator's file and of an event. */
export const LEVELS_MAX = 64;

/** A record without free fields that are too deep; each is reported. */
export function shallow(record: ServiceRecord, report: (line: string) => void): ServiceRecord {
  const open = Object.entries(record.properties).filter(([field, value]) => {
    const isDeep = isDeeper(value, LEVELS_MAX);
    if (isDeep) {
      const levels = `nested more than ${LEVELS_MAX} levels deep`;
      report(`warning: ${visible(field)} of ${record.id} is ${levels}, and is left out.`);
    }
    return !isDeep;
  });
  return { ...record, properties: Object.fromEntries(open) };
}
