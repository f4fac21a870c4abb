import type { ConsoleSession } from "@tocsin/api"
import { createContext, useContext } from "react"
import { t } from "../language/Text.tsx"

/** The user who is signed in. */
export type SignedIn = ConsoleSession & { readonly signOut: () => Promise<void> }

/** The session of every page. */
export const SessionContext = createContext<SignedIn | undefined>(undefined)

/** The current session. Only pages call it, which are rendered after the sign-in. */
export const useSession = (): SignedIn => {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error("A page was rendered without a session")
  return session
}

/** Whether the user may change anything. */
export const useIsEditor = (): boolean => useSession().role !== "viewer"

/** Whether the user may manage credentials. */
export const useIsAdmin = (): boolean => useSession().role === "admin"

/** The name of a role. */
export const roleName = (role: SignedIn["role"]): string => {
  switch (role) {
    case "viewer":
      return t("Viewer")
    case "editor":
      return t("Editor")
    case "admin":
      return t("Admin")
  }
}
