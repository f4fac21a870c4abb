import { Button } from "@mantine/core"
import type { Schemas } from "../api/ApiTypes.ts"
import { Dialog } from "../shell/Dialog.tsx"
import { SignInForm } from "./SignInForm.tsx"

/** Lies over the page while the session has ended; the page and what was typed stay as they are. */
export const SignInAgain = ({
  session,
  onSignedIn,
  onSignOut,
}: {
  readonly session: Schemas["ConsoleSession"]
  readonly onSignedIn: (session: Schemas["ConsoleSession"]) => void
  readonly onSignOut: () => void
}) => (
  <Dialog
    title="Your session has ended"
    buttons={
      <Button variant="subtle" color="gray" onClick={onSignOut}>
        Sign in as somebody else
      </Button>
    }
  >
    <p>Sign in again and go on where you were. Nothing you typed is lost.</p>
    <SignInForm known={session} onSignedIn={onSignedIn} />
  </Dialog>
)
