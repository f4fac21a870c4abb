import { Button } from "@mantine/core"
import { Link } from "wouter"
import { Plus } from "./Icon.tsx"

/** Leads to the form of something new. */
export const CreateLink = ({ href, label }: { readonly href: string; readonly label: string }) => (
  <Button component={Link} href={href} leftSection={<Plus />}>
    {label}
  </Button>
)
