import { type ComponentType, type ReactNode, useEffect, useState } from "react"
import { CallFailed } from "../api/Call.ts"
import { Failure } from "./Failure.tsx"

/** A part of the console whose code is loaded when it is shown, or ahead of that. */
export type OnDemand<P> = ComponentType<P> & { readonly loadAhead: () => void }

/**
 * A part of the console whose code is loaded when it is asked for; until then `meanwhile` stands in its place.
 *
 * It is shown as soon as it is there: what React suspends, it holds back for 300 ms.
 */
export const onDemand = <P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
  meanwhile?: ReactNode,
): OnDemand<P> => {
  let Loaded: ComponentType<P> | undefined
  let loading: Promise<void> | undefined
  const loadNow = async (): Promise<void> => {
    Loaded = (await load()).default
  }
  const loadOnce = (): Promise<void> => (loading ??= loadNow())
  const Part = (props: P) => {
    const [state, setState] = useState<"loading" | "loaded" | "failed">(
      Loaded === undefined ? "loading" : "loaded",
    )
    // Also where it came between the drawing and this: then nothing else would draw it.
    useEffect(() => {
      loadOnce().then(
        () => setState("loaded"),
        () => setState("failed"),
      )
    }, [])
    if (Loaded !== undefined) return <Loaded {...props} />
    return state === "failed" ? <Failure failure={notLoaded} retry={() => location.reload()} /> : meanwhile
  }
  // Whoever shows the part is told of a failure.
  return Object.assign(Part, { loadAhead: () => void loadOnce().catch(() => undefined) })
}

/** A server that was updated has the code of its own console alone. */
const notLoaded = new CallFailed(0, [
  {
    title: "This part of the console was not loaded",
    detail: "This part of the console was not loaded: the server was updated meanwhile, or does not answer.",
  },
])
