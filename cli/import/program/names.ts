/** Names of declarations, made from the names of objects: readable, unique, the same in each run. */

/** Letters that no decomposition turns into plain ones. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
};

const LENGTH_MAX = 60;

/** `ERP Zürich (2)` → `erp_zurich_2`; empty without a plain letter. Cut at the end of a word. */
function snakeName(text: string): string {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, (letter) => LETTERS[letter] ?? "_")
    .replace(/_+/g, "_");
  const cut = plain.length > LENGTH_MAX ? plain.slice(0, LENGTH_MAX).replace(/_[^_]*$/, "") : plain;
  return cut.replace(/^_|_$/g, "");
}

/** The names of one kind. Underscores and case do not tell two apart, so that any case will do. */
export class Names {
  private readonly taken = new Set<string>();
  /** The next number of a name that many want. */
  private readonly counts = new Map<string, number>();

  /** @param fallback begins the name of what has none of its own: the kind's */
  constructor(private readonly fallback: string) {}

  reserve(name: string): void {
    this.taken.add(squeezed(name));
  }

  /** A name that nobody has, made from this text. */
  claim(text: string): string {
    const name = this.wanted(text);
    for (let count = this.counts.get(name) ?? 1; ; count += 1) {
      const numbered = count === 1 ? name : `${name}_${count}`;
      if (this.taken.has(squeezed(numbered))) continue;
      this.counts.set(name, count + 1);
      this.reserve(numbered);
      return numbered;
    }
  }

  /** The first of each name comes first: a second `main` never takes the name of a `main 2`. */
  claimAll(texts: readonly string[]): string[] {
    const first = new Map<string, string>();
    for (const text of texts) {
      const wanted = squeezed(this.wanted(text));
      if (!first.has(wanted)) first.set(wanted, this.claim(text));
    }
    return texts.map((text) => {
      const wanted = squeezed(this.wanted(text));
      const own = first.get(wanted);
      first.set(wanted, "");
      return own === undefined || own === "" ? this.claim(text) : own;
    });
  }

  private wanted(text: string): string {
    const own = snakeName(text);
    // A name that begins with a digit is none in most languages.
    return own === "" ? this.fallback : /^\d/.test(own) ? `${this.fallback}_${own}` : own;
  }
}

const squeezed = (name: string): string => name.replace(/[^a-zA-Z0-9]/g, "").toLowerCase();
