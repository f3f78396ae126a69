/** Options of Pulumi's SDK generators, for each language. */

/** Not `erphost`, which is the package of this plugin and the dynamic resources. */
export const NODE_PACKAGE = "@erphost/pulumi-native";
export const PYTHON_PACKAGE = "pulumi_erphost";
export const GO_PACKAGE = "github.com/erphost/pulumi-erphost/sdk/go/erphost";
const NET_ROOT = "ErpHost";
export const NET_NAMESPACE = `${NET_ROOT}.Pulumi`;
const JAVA_ROOT = "com.erphost";
export const JAVA_PACKAGE = `${JAVA_ROOT}.erphost`;

export const languages = {
  nodejs: {
    packageName: NODE_PACKAGE,
    packageDescription: "A hosted ERP service in Pulumi programs, through the native plugin.",
    dependencies: { "@pulumi/pulumi": "^3.142.0" },
    devDependencies: { "@types/node": "^24", typescript: "^5" },
    respectSchemaVersion: true,
  },
  python: {
    packageName: PYTHON_PACKAGE,
    requires: { pulumi: ">=3.142.0,<4.0.0" },
    pyproject: { enabled: true },
    respectSchemaVersion: true,
  },
  go: {
    importBasePath: GO_PACKAGE,
    rootPackageName: "erphost",
    generateResourceContainerTypes: true,
    respectSchemaVersion: true,
  },
  csharp: {
    rootNamespace: NET_ROOT,
    namespaces: { erphost: "Pulumi" },
    packageReferences: { Pulumi: "3.*" },
    respectSchemaVersion: true,
  },
  java: {
    basePackage: JAVA_ROOT,
    dependencies: { "com.pulumi:pulumi": "1.0.0" },
  },
} as const;
