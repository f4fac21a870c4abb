import { useEffect } from "react"
import type { Schemas } from "../api/ApiTypes.ts"
import { Bell } from "../shell/Icon.tsx"
import css from "./SignIn.module.css"
import { SignInForm } from "./SignInForm.tsx"

/** What everybody sees who is not signed in. */
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
          No credential yet? Whoever runs this server makes one: <code>tocsin credentials create</code>
        </p>
      </div>
    </main>
  )
}
