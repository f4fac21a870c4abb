import { Box, Button } from "@mantine/core"
import { useEffect, useState } from "react"
import { currentLanguage } from "../language/Language.ts"
import { t } from "../language/Text.tsx"
import css from "./CodeBlock.module.css"

/** Preformatted text with a button that copies it. */
export const CodeBlock = ({
  text,
  label,
  isWrapped = false,
  isStale = false,
}: {
  readonly text: string
  /** What the text is; the accessible name of the block and of its button. */
  readonly label: string
  readonly isWrapped?: boolean
  /** The text is outdated. */
  readonly isStale?: boolean
}) => (
  <Box pos="relative" miw={0}>
    <pre
      className={`${css.text} ${isWrapped ? css.wrapped : ""} ${isStale ? "dim" : ""}`}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {text}
    </pre>
    <CopyButton text={text} label={label} />
  </Box>
)

/** A button in the upper corner that copies a text. */
export const CopyButton = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [state, setState] = useState<"Copy" | "Copied" | "Not copied">("Copy")
  useEffect(() => {
    if (state === "Copy") return
    const timer = setTimeout(() => setState("Copy"), 2_000)
    return () => clearTimeout(timer)
  }, [state])
  return (
    <Button
      variant="default"
      size="compact-xs"
      pos="absolute"
      top={8}
      right={8}
      aria-label={t("Copy {what}", {
        what: currentLanguage() === "en" ? `${label.charAt(0).toLowerCase()}${label.slice(1)}` : label,
      })}
      onClick={() =>
        copyText(text).then(
          () => setState("Copied"),
          () => setState("Not copied"),
        )
      }
    >
      <span aria-live="polite">{stateText(state)}</span>
    </Button>
  )
}

const stateText = (state: "Copy" | "Copied" | "Not copied"): string =>
  ({ Copy: t("Copy"), Copied: t("Copied"), "Not copied": t("Not copied") })[state]

/** Browsers offer the clipboard API on secure pages only. */
const copyText = async (text: string): Promise<void> => {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement("textarea")
  area.value = text
  area.className = "visually-hidden"
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand("copy")
  area.remove()
  if (!isCopied) throw new Error("The browser rejected the copy command")
}
