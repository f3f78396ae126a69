/** Says what to install where CDKTF is missing; loaded before everything that needs it. */
import { loadPeers } from "../provider/start/peers";

loadPeers("erphost/cdktf", [
  { name: "cdktf", load: () => void require("cdktf") },
  // cdktn takes none that is newer.
  { name: "constructs", install: "constructs@10.7", load: () => void require("constructs") },
]);
