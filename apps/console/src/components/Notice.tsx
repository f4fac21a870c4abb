import { Alert, Stack } from "@mantine/core"
import type { ReactNode } from "react"
import { Check, Info, Warning } from "./Icon.tsx"

/** A message on the page. With a role, screen readers announce it when it appears. */
export const Notice = ({
  kind,
  role = "note",
  children,
}: {
  readonly kind: keyof typeof kinds
  readonly role?: "alert" | "status" | "note"
  readonly children: ReactNode
}) => (
  <Alert {...kinds[kind]} role={role}>
    <Stack gap="xs" align="flex-start">
      {children}
    </Stack>
  </Alert>
)

const kinds = {
  ok: { color: "green", icon: <Check /> },
  info: { color: "indigo", icon: <Info /> },
  warn: { color: "yellow", icon: <Warning /> },
  bad: { color: "red", icon: <Warning /> },
}
