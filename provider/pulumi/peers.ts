/** Says what to install where Pulumi's SDK is missing; loaded before everything that needs it. */
import { loadPeers } from "../start/peers";

loadPeers("erphost/pulumi", [
  { name: "@pulumi/pulumi", load: () => void require("@pulumi/pulumi") },
]);
