import type { KindDescription } from "../metadata/KindDescription.ts"
import { objectName } from "../metadata/Metadata.ts"
import { type AlertMethod, alertMethod, type AlertMethodDraft } from "./AlertMethod.ts"
import { resolveHidden } from "./ResolveHidden.ts"

export const alertMethodKind = {
  kind: "AlertMethod",
  shortName: "am",
  words: "an alert method",
  home: "project",
  codec: alertMethod,
  name: objectName,
  resolve: resolveHidden,
} as const satisfies KindDescription<AlertMethodDraft, AlertMethod>
