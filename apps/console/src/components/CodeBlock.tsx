import { Button } from "@mantine/core"
import { useEffect, useState } from "react"
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
  <div className={css.block}>
    <pre
      className={`${css.text} ${isWrapped ? css.wrapped : ""} ${isStale ? css.stale : ""}`}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {text}
    </pre>
    <div className={css.copy}>
      <CopyButton text={text} label={label} />
    </div>
  </div>
)

const CopyButton = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready")
  useEffect(() => {
    if (state === "ready") return
    const timer = setTimeout(() => setState("ready"), 2_000)
    return () => clearTimeout(timer)
  }, [state])
  return (
    <Button
      variant="default"
      size="compact-xs"
      aria-label={`Copy ${label.charAt(0).toLowerCase()}${label.slice(1)}`}
      onClick={() =>
        copyText(text).then(
          () => setState("copied"),
          () => setState("failed"),
        )
      }
    >
      <span aria-live="polite">
        {state === "copied" ? "Copied" : state === "failed" ? "Not copied" : "Copy"}
      </span>
    </Button>
  )
}

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
