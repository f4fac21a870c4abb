import { Paper, Stack } from "@mantine/core"
import type { ReactNode } from "react"

/** Takes the place of an empty list: what will appear here, and how to add the first item. */
export const EmptyState = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Paper p="xl" shadow="none" bd="1px dashed var(--border-strong)" ta="center">
    <Stack gap="sm" align="center">
      <h2>{title}</h2>
      {children}
    </Stack>
  </Paper>
)
