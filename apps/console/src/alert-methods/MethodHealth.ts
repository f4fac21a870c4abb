import type { Schemas } from "../api/ApiTypes.ts"
import type { State } from "../shell/StateChip.tsx"

/** How a receiver has answered, and what is paused. */
export type Health = Schemas["AlertMethodHealth"]

/** The one word for how an alert method is. */
export const stateOf = (health: Health): State => {
  if (health.isDisabled) return "disabled"
  if (health.isPaused || health.isAllPaused) return "paused"
  if (health.failures > 0) return "failing"
  return health.lastSuccessAt === undefined ? "unused" : "healthy"
}
