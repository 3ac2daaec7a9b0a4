// The entry of every page: starts what the page needs, and leaves a plain page alone.

import { hasData } from "./data.js";
import { startHints } from "./hints.js";
import { offerWhatIf } from "./starter.js";
import { startTools } from "./tools.js";

startTools(document);
if (hasData(document)) {
  startHints(document);
  offerWhatIf(document);
}
