import type { ConsoleSession } from "@tocsin/api"
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react"
import { apiErrorOf, bodyOf, client, currentSession } from "../api/Client.ts"
import { api, queryClient } from "../api/Queries.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { forgetRecent } from "../visits/Visits.ts"
import { SessionContext } from "./Session.ts"
import { SignInAgain, SignInPage } from "./SignIn.tsx"
import { takeLink } from "./SignInLink.ts"

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

/** Whether the address had a sign-in link that did not work. */
let isLinkRejected = false

/**
 * Signs in by the link in the address, if there is one, and requests the session; resolves to whether there is one. To be called
 * before anything is rendered.
 */
export const prepareSession = async (): Promise<boolean> => {
  const token = takeLink()
  if (token !== undefined) {
    try {
      setSession(await bodyOf(client.POST("/api/console/session/link", { body: { token } })))
    } catch {
      isLinkRejected = true
    }
  }
  await queryClient.prefetchQuery(sessionQuery)
  const session = queryClient.getQueryData<ConsoleSession | null>(sessionQuery.queryKey)
  currentSession.organization = session?.organization
  return session?.organization !== undefined
}

const setSession = (session: ConsoleSession): void => {
  queryClient.setQueryData(sessionQuery.queryKey, session)
}

// Loads a new page, so that nothing of the session remains in memory.
const leave = (): void => {
  forgetRecent()
  location.assign("/sign-in")
}

/**
 * Renders the pages for a signed-in user and the sign-in page for everyone else, at the same address.
 *
 * When the session expires, the page stays as it is below a dialog to sign in again, and rejected requests wait.
 */
export const SessionProvider = ({ children }: { readonly children: ReactNode }) => {
  const query = useQuery(sessionQuery)
  const [isExpired, setIsExpired] = useState(false)
  const waiting = useRef<Array<() => void>>([])
  // A response without content: the user is not signed in.
  const session = (query.data ?? undefined) as ConsoleSession | undefined
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

  const signedInAgain = useCallback((renewed: ConsoleSession) => {
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
  if (query.isPending) return null
  if (error === null || apiErrorOf(error).status === 401)
    return <SignInPage isLinkRejected={isLinkRejected} onSignedIn={setSession} />
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
