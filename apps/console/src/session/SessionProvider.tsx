import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import { type CallFailed, callOnce, failureOf, sessionGate } from "../api/Call.ts"
import { deleteUnusedResources } from "../api/Resource.ts"
import type { Schemas } from "../api/ApiTypes.ts"
import { Failure } from "../shell/Failure.tsx"
import { SessionContext } from "./Session.ts"
import { SignInAgain } from "./SignInAgain.tsx"
import { SignInPage } from "./SignInPage.tsx"

type State =
  | { readonly kind: "asking" }
  | { readonly kind: "unknown"; readonly failure: CallFailed }
  | { readonly kind: "signed-out" }
  | { readonly kind: "signed-in"; readonly session: Schemas["ConsoleSession"] }

/** Who is signed in is asked before there is anything to draw. */
let askedAhead: Promise<Schemas["ConsoleSession"]> | undefined = callOnce("GET /api/console/session", {})
// Whoever asks for it is told of a failure.
askedAhead.catch(() => undefined)

/**
 * Shows the pages to who is signed in, and the sign-in page to everybody else, at the same address.
 *
 * When the session ends while a page is open, the page stays, with all that was typed, under a dialog to sign in again;
 * calls that were refused wait for it.
 */
export const SessionProvider = ({ children }: { readonly children: ReactNode }) => {
  const [state, setState] = useState<State>({ kind: "asking" })
  const [isEnded, setIsEnded] = useState(false)
  const waiting = useRef<Array<() => void>>([])

  const ask = useCallback(() => {
    const asked = askedAhead ?? callOnce("GET /api/console/session", {})
    askedAhead = undefined
    asked.then(
      (session) => setState({ kind: "signed-in", session }),
      (error: unknown) => {
        const failure = failureOf(error)
        setState(failure.status === 401 ? { kind: "signed-out" } : { kind: "unknown", failure })
      },
    )
  }, [])
  useEffect(ask, [ask])

  const organization = state.kind === "signed-in" ? state.session.organization : undefined
  // Before the pages are there: their first calls are made in it.
  useLayoutEffect(() => {
    if (organization === undefined) return
    sessionGate.organization = organization
    sessionGate.signInAgain = () =>
      new Promise((resolve) => {
        waiting.current.push(resolve)
        setIsEnded(true)
      })
  }, [organization])

  const signedInAgain = useCallback((session: Schemas["ConsoleSession"]) => {
    setState({ kind: "signed-in", session })
    setIsEnded(false)
    for (const resolve of waiting.current.splice(0)) resolve()
  }, [])

  const signedOut = useCallback(() => {
    deleteUnusedResources()
    // A whole new page: nothing that the last one held is left in memory.
    location.assign("/sign-in")
  }, [])

  const signOut = useCallback(async () => {
    await callOnce("DELETE /api/console/session", {}).catch(() => undefined)
    signedOut()
  }, [signedOut])

  const session = state.kind === "signed-in" ? state.session : undefined
  const value = useMemo(
    () => (session === undefined ? undefined : { ...session, signOut }),
    [session, signOut],
  )

  switch (state.kind) {
    case "asking":
      return null
    case "unknown":
      return <Failure failure={state.failure} retry={ask} isWholePage />
    case "signed-out":
      return <SignInPage onSignedIn={(session) => setState({ kind: "signed-in", session })} />
    case "signed-in":
      return (
        <SessionContext value={value}>
          {children}
          {isEnded && (
            <SignInAgain session={state.session} onSignedIn={signedInAgain} onSignOut={signedOut} />
          )}
        </SessionContext>
      )
  }
}
