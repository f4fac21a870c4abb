import { useEffect } from "react"
import type { Schemas } from "../api/Client.ts"
import { Bell } from "../components/Icon.tsx"
import css from "./SignIn.module.css"
import { SignInForm } from "./SignInForm.tsx"

/** What users see before they sign in. */
export const SignInPage = ({
  onSignedIn,
}: {
  readonly onSignedIn: (session: Schemas["ConsoleSession"]) => void
}) => {
  useEffect(() => {
    document.title = "Sign in – Tocsin"
  }, [])
  return (
    <main className={css.page}>
      <div className={css.card}>
        <div className={css.brand}>
          <Bell />
          <h1>Tocsin</h1>
        </div>
        <SignInForm onSignedIn={onSignedIn} />
        <p className={css.hint}>
          No credentials? The operator of this server creates them with <code>tocsin credentials create</code>
          .
        </p>
      </div>
    </main>
  )
}
