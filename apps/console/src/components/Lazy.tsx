import { type ComponentType, type ReactNode, useEffect, useState } from "react"
import { ApiError } from "../api/Client.ts"
import { t } from "../language/Text.tsx"
import { ErrorNotice } from "./ErrorNotice.tsx"

/** A component whose code is loaded when it is first rendered, or earlier by `preload`. */
export type Lazy<P> = ComponentType<P> & { readonly preload: () => void }

/**
 * Loads a component's code on demand and renders `fallback` until then.
 *
 * Unlike `React.lazy` it renders as soon as the code is there: React delays the content of a suspended boundary by up
 * to 300 ms.
 */
export const lazy = <P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
  fallback?: ReactNode,
): Lazy<P> => {
  let Loaded: ComponentType<P> | undefined
  let loading: Promise<void> | undefined
  const loadNow = async (): Promise<void> => {
    Loaded = (await load()).default
  }
  const loadOnce = (): Promise<void> => (loading ??= loadNow())
  const Part = (props: P) => {
    const [state, setState] = useState<"loading" | "loaded" | "failed">("loading")
    // Also when the code arrived between the rendering and this effect: nothing else would render it.
    useEffect(() => {
      loadOnce().then(
        () => setState("loaded"),
        () => setState("failed"),
      )
    }, [])
    if (Loaded !== undefined) return <Loaded {...props} />
    return state === "failed" ? <ErrorNotice error={notLoaded()} retry={reload} /> : fallback
  }
  // The component reports the error when it is rendered.
  return Object.assign(Part, { preload: () => void loadOnce().catch(() => undefined) })
}

/** After an upgrade the server has only the files of the new console. */
const notLoaded = (): ApiError =>
  new ApiError(0, [
    {
      title: t("This page could not be loaded"),
      detail: t("This page could not be loaded. The server may have been upgraded, or it does not respond."),
    },
  ])

/** Loads the console again once the server responds: until then, the browser would show its own error page. */
const reload = async (): Promise<void> => {
  const response = await fetch(location.href, { method: "HEAD", headers: { accept: "text/html" } }).catch(
    () => undefined,
  )
  if (response?.ok === true) location.reload()
}
