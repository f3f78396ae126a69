/** The part of Pulumi's schema format that is used here. */
export interface TypeSpec {
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly $ref?: string;
  readonly items?: TypeSpec;
  readonly additionalProperties?: TypeSpec;
}

export interface PropertySpec extends TypeSpec {
  readonly description: string;
  readonly secret?: true;
  readonly replaceOnChanges?: true;
  readonly willReplaceOnChanges?: true;
}

export interface ObjectSpec {
  readonly type: "object";
  readonly description?: string;
  readonly properties: Readonly<Record<string, PropertySpec>>;
  readonly required?: readonly string[];
}

export interface ResourceSpec {
  readonly description: string;
  readonly isComponent?: true;
  readonly properties: Readonly<Record<string, PropertySpec>>;
  readonly required: readonly string[];
  readonly inputProperties: Readonly<Record<string, PropertySpec>>;
  readonly requiredInputs?: readonly string[];
}

export interface FunctionSpec {
  readonly description: string;
  readonly inputs?: ObjectSpec;
  readonly outputs: ObjectSpec;
}

export interface PackageSpec {
  readonly name: string;
  readonly [member: string]: unknown;
  readonly types: Readonly<Record<string, ObjectSpec>>;
  readonly resources: Readonly<Record<string, ResourceSpec>>;
  readonly functions: Readonly<Record<string, FunctionSpec>>;
}
