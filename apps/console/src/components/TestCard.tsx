import { Button, Stack } from "@mantine/core"
import type { ReactNode } from "react"
import { ErrorNotice } from "./ErrorNotice.tsx"
import { Card } from "./Page.tsx"
import { t } from "../language/Text.tsx"

interface TestCardProps {
  /** Of the button. */
  readonly label: string
  /** What a test does, before the first one. */
  readonly hint: string
  readonly test: { readonly isIdle: boolean; readonly isPending: boolean; readonly error: unknown }
  readonly onTest: () => void
  /** The result. */
  readonly children: ReactNode
}

/** Tests what the page shows, and says what comes of it. */
export const TestCard = ({ label, hint, test, onTest, children }: TestCardProps) => (
  <Card
    title={t("Test")}
    aside={
      <Button variant="light" loading={test.isPending} onClick={onTest}>
        {label}
      </Button>
    }
  >
    <Stack gap="sm" aria-live="polite">
      {test.isIdle && <p className="dim">{hint}</p>}
      {test.isPending && <p className="dim">{t("Waiting up to 15 s for the response…")}</p>}
      <ErrorNotice error={test.error} />
      {children}
    </Stack>
  </Card>
)
