import { createContext, useContext } from "react"
import type { Schemas } from "../api/ApiTypes.ts"

/** Who is signed in, and the way out. */
export type SignedIn = Schemas["ConsoleSession"] & { readonly signOut: () => Promise<void> }

/** The session that every page is shown in. */
export const SessionContext = createContext<SignedIn | undefined>(undefined)

/** Who is signed in; only within a page, which is shown to nobody else. */
export const useSession = (): SignedIn => {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error("A page stands outside of the session")
  return session
}

/** Whether who is signed in may change things. */
export const useIsEditor = (): boolean => useSession().role === "editor"
