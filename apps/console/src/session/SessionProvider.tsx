import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react"
import { apiErrorOf, client, currentSession, type Schemas } from "../api/Client.ts"
import { api, queryClient } from "../api/Queries.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { SessionContext } from "./Session.ts"
import { SignInAgain, SignInPage } from "./SignIn.tsx"

const sessionQuery = api.queryOptions(
  "get",
  "/api/console/session",
  {},
  {
    staleTime: Infinity,
    gcTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnMount: false,
    // The rejection of a request before the first rendering is the result.
    retryOnMount: false,
  },
)

// The session is requested before there is anything to render.
void queryClient.prefetchQuery(sessionQuery)

const setSession = (session: Schemas["ConsoleSession"]): void => {
  queryClient.setQueryData(sessionQuery.queryKey, session)
}

// Loads a new page, so that nothing of the session remains in memory.
const leave = (): void => location.assign("/sign-in")

/**
 * Renders the pages for a signed-in user and the sign-in page for everyone else, at the same address.
 *
 * When the session expires, the page stays as it is below a dialog to sign in again, and rejected requests wait.
 */
export const SessionProvider = ({ children }: { readonly children: ReactNode }) => {
  const query = useQuery(sessionQuery)
  const [isExpired, setIsExpired] = useState(false)
  const waiting = useRef<Array<() => void>>([])
  const session = query.data
  const error: unknown = query.error

  const organization = session?.organization
  // A layout effect runs before the first requests of the pages.
  useLayoutEffect(() => {
    if (organization === undefined) return
    currentSession.organization = organization
    currentSession.signInAgain = () =>
      new Promise((resolve) => {
        waiting.current.push(resolve)
        setIsExpired(true)
      })
  }, [organization])

  const signedInAgain = useCallback((renewed: Schemas["ConsoleSession"]) => {
    setSession(renewed)
    setIsExpired(false)
    for (const resolve of waiting.current.splice(0)) resolve()
  }, [])

  const value = useMemo(() => session && { ...session, signOut }, [session])

  if (session !== undefined) {
    return (
      <SessionContext value={value}>
        {children}
        {isExpired && <SignInAgain session={session} onSignedIn={signedInAgain} onSignOut={leave} />}
      </SessionContext>
    )
  }
  if (error === null) return null
  if (apiErrorOf(error).status === 401) return <SignInPage onSignedIn={setSession} />
  return (
    <main className="whole-page">
      <QueryError query={query} />
    </main>
  )
}

const signOut = async (): Promise<void> => {
  await client.DELETE("/api/console/session").catch(() => undefined)
  leave()
}
