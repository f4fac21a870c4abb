import { Button } from "@mantine/core"
import type { Schemas } from "../api/Client.ts"
import { Dialog } from "../components/Dialog.tsx"
import { SignInForm } from "./SignInForm.tsx"

/** Covers the page after the session has expired; the page and its unsaved input stay. */
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
    title="Your session has expired"
    buttons={
      <Button variant="subtle" color="gray" onClick={onSignOut}>
        Sign in as another user
      </Button>
    }
  >
    <p>Sign in again to continue. Your unsaved changes are kept.</p>
    <SignInForm user={session} onSignedIn={onSignedIn} />
  </Dialog>
)
