/** Options of Pulumi's SDK generators, for each language. */

/** Not `erphost`, which is the package of this plugin and the dynamic resources. */
export const NODE_PACKAGE = "@erphost/pulumi-native";
export const PYTHON_PACKAGE = "pulumi_erphost";
/** In the project's own repository, from which Go gets modules. */
export const GO_PACKAGE = "github.com/erphost/erphost/sdk/go/erphost";
const NET_ROOT = "ErpHost";
/** Also the name of the package on NuGet. */
export const NET_NAMESPACE = `${NET_ROOT}.Pulumi`;
/** Also the group on Maven Central, which gives it to the owner of the account on GitHub. */
export const JAVA_ROOT = "io.github.erphost";
export const JAVA_PACKAGE = `${JAVA_ROOT}.erphost`;

export const languages = {
  nodejs: {
    packageName: NODE_PACKAGE,
    packageDescription: "A hosted ERP service in Pulumi programs, through the native plugin.",
    // A program and its packages share one copy, or options and outputs are of two kinds.
    peerDependencies: { "@pulumi/pulumi": "^3.142.0" },
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
  java: { basePackage: JAVA_ROOT, dependencies: { "com.pulumi:pulumi": "1.0.0" } },
} as const;
