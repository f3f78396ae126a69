/** What is wrong with a list, a page or a record of the service. */
import { define, type Message } from "../message";

const CHECK_ADDRESS = "Check the base address and the contract profile.";

export const listsMessages = {
  list_too_long: define<{ pages: number; most: number }>({
    when: "A list has more pages than the client reads.",
    summary: "List too long",
    text: ({ pages, most }) => `the list has ${pages} pages; at most ${most} are read`,
    remedy: () => "Narrow it with filters.",
    examples: [{ pages: 20_000, most: 10_000 }],
  }),
  last_page_not_found: define<{ tries: number }>({
    when: "A list changes so fast that its last page cannot be found.",
    summary: "List keeps changing",
    text: ({ tries }) =>
      `the list changes so fast that its last page was not found in ${tries} attempts`,
    remedy: () => "Try again when fewer changes are being made.",
    examples: [{ tries: 5 }],
  }),
  page_contradicts_itself: define<{ page: number; why: Message }>({
    when: "The pagination of a page contradicts its content.",
    summary: "Invalid pagination",
    text: ({ page, why }, { say }) => `page ${page} contradicts itself: ${say(why)}`,
    remedy: () => "The list cannot be trusted; report this to the service.",
    examples: [
      {
        page: 2,
        why: { code: "wrong_pagination", parts: { member: "current_page", is: 1, expected: 2 } },
      },
    ],
  }),
  absence_not_proved: define<{ id: string; walks: number; why?: Message | undefined }>({
    when: "An object is missing from a list that changes too much to prove that it is gone.",
    summary: "Absence not proved",
    text: ({ id, walks, why }, { say }) =>
      `${id} was not in the list, but ${walks} readings of it do not prove that it is gone: ${why === undefined ? "they disagree" : say(why)}`,
    remedy: () => "Nothing was concluded. Try again when fewer changes are being made.",
    examples: [
      { id: "srv_1", walks: 8 },
      { id: "srv_1", walks: 8, why: { code: "list_changed", parts: { total: 12 } } },
    ],
  }),
  record_unreadable: define<{ id: string; why?: Message | undefined }>({
    when: "The record of an object cannot be read.",
    summary: "Unreadable record",
    text: ({ id, why }, { say }) =>
      `${id} is in the list, but cannot be read${why === undefined ? "" : `: ${say(why)}`}`,
    remedy: () => "Report this to the service, or map the field in a contract profile.",
    examples: [
      { id: "srv_1" },
      { id: "srv_1", why: { code: "record_value", parts: { at: "permissions", type: "list" } } },
    ],
  }),
  response_without_records: define<{ page: number }>({
    when: "A page of a list does not hold records.",
    summary: "Unknown response",
    text: ({ page }) => `page ${page} is not an array of records`,
    remedy: () => CHECK_ADDRESS,
    examples: [{ page: 1 }],
  }),
  wrong_pagination: define<{
    member: string;
    is: string | number | boolean;
    expected: string | number | boolean;
  }>({
    when: "A member of a page's pagination is wrong.",
    summary: "Invalid pagination",
    text: ({ member, is, expected }) => `${member} is ${is}, expected ${expected}`,
    examples: [{ member: "current_page", is: 1, expected: 2 }],
  }),
  malformed_pagination: define<{ at: string; why: Message }>({
    when: "A page's pagination has the wrong shape.",
    summary: "Invalid pagination",
    text: ({ at, why }, { say }) => `${at} ${say(why)}`,
    examples: [{ at: "pagination.per_page", why: { code: "required", parts: {} } }],
  }),
  record_not_object: define({
    when: "A record is not a JSON object.",
    summary: "Unreadable record",
    text: () => "the record is not a JSON object",
  }),
  record_without_id: define({
    when: "A record has no id.",
    summary: "Unreadable record",
    text: () => "the record has no id",
  }),
  record_id_unsafe: define({
    when: "The id of a record holds control characters.",
    summary: "Unreadable record",
    text: () => "its id holds control characters",
  }),
  record_value: define<{ at: string; type: string }>({
    when: "A value of a record has the wrong type.",
    summary: "Unreadable record",
    text: ({ at, type }) => `${at} is not ${/^[aeio]/.test(type) ? "an" : "a"} ${type}`,
    examples: [
      { at: "permissions", type: "list" },
      { at: "cpu", type: "integer" },
    ],
  }),
  record_member: define<{ at: string; member: string }>({
    when: "An object in a record lacks a member.",
    summary: "Unreadable record",
    text: ({ at, member }) => `${at} has no ${member}`,
    examples: [{ at: "members", member: "email" }],
  }),
  records_without_id: define<{ count: number }>({
    when: "A list has records without an id, any of which may be the object.",
    summary: "Records without an id",
    text: ({ count }) => `${count} of its records have no id`,
    examples: [{ count: 2 }],
  }),
  list_not_paginated: define({
    when: "A full page comes without pagination, so that there may be more.",
    summary: "No pagination",
    text: () => "a full page without pagination proves nothing",
  }),
  pages_read_together: define({
    when: "The pages of a list were read at the same time, in no order.",
    summary: "No order",
    text: () => "its pages were read at the same time",
  }),
  page_size_changed: define<{ page: number; perPage: number }>({
    when: "The pages of a list have different sizes.",
    summary: "Page size changed",
    text: ({ page, perPage }) => `the per_page of page ${page} is not ${perPage}`,
    examples: [{ page: 3, perPage: 100 }],
  }),
  created_at_missing: define<{ id: string; page: number }>({
    when: "A record has no creation time to check the order of the list by.",
    summary: "No creation time",
    text: ({ id, page }, { field }) => `${id} on page ${page} has no valid ${field("created_at")}`,
    examples: [{ id: "srv_1", page: 2 }],
  }),
  order_broken: define<{ page: number; next?: number | undefined }>({
    when: "A list is not in the order that was asked for.",
    summary: "List not sorted",
    text: ({ page, next }, { field }) => {
      const order = `${field("created_at")} is not ascending`;
      return next === undefined
        ? `${order} on page ${page}`
        : `${order} from page ${page} to page ${next}`;
    },
    examples: [{ page: 2 }, { page: 2, next: 3 }],
  }),
  order_ambiguous: define<{ seen: number; total: number }>({
    when: "Records with the same creation time are on two pages of a list.",
    summary: "Order ambiguous",
    text: ({ seen, total }, { field }) =>
      `${seen} of ${total} records were seen, some with the same ${field("created_at")} on two pages`,
    examples: [{ seen: 11, total: 12 }],
  }),
  list_changed: define<{ total: number }>({
    when: "A list changed while it was read.",
    summary: "List changed",
    text: ({ total }) => `the list of ${total} records changed while it was read`,
    remedy: () => "Try again when fewer changes are being made.",
    examples: [{ total: 12 }],
  }),
};
