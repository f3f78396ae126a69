/** What Pulumi's generators are told for each language. */

/** Of its own, as `erphost` is the package that holds this plugin and the dynamic resources. */
export const NODE_PACKAGE = "@erphost/pulumi-native";
export const PYTHON_PACKAGE = "pulumi_erphost";

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
    importBasePath: "github.com/erphost/pulumi-erphost/sdk/go/erphost",
    rootPackageName: "erphost",
    generateResourceContainerTypes: true,
    respectSchemaVersion: true,
  },
  csharp: {
    rootNamespace: "ErpHost",
    namespaces: { erphost: "Pulumi" },
    packageReferences: { Pulumi: "3.*" },
    respectSchemaVersion: true,
  },
  java: {
    basePackage: "com.erphost",
    buildFiles: "gradle",
    dependencies: { "com.pulumi:pulumi": "1.0.0" },
  },
} as const;
