import type { Schemas } from "../api/Client.ts"
import type { Status } from "../components/StatusBadge.tsx"

/** The endpoint health of an alert method. */
export type Health = Schemas["AlertMethodHealth"]

/** The status of an alert method. */
export const healthStatus = (health: Health): Status => {
  if (health.isDisabled) return "disabled"
  if (health.isPaused || health.isAllPaused) return "paused"
  if (health.failures > 0) return "failing"
  return health.lastSuccessAt === undefined ? "unused" : "healthy"
}
