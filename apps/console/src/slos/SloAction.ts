import { lazy } from "../components/Lazy.tsx"

/** The dialog of an action on an SLO, whose code is loaded when it is opened. */
export const SloAction = lazy(async () => ({ default: (await import("./SloActions.tsx")).SloAction }))
