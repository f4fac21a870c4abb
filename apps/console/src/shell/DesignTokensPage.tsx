import type { CSSProperties } from "react"
import { Card, Page } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"

/** Every design token with its value in the current color scheme, for people who change the console. */
const DesignTokensPage = () => (
  <Page title={t("Design tokens")}>
    {groups().map(({ title, prefixes, style }) => (
      <Card key={title} title={title}>
        <dl className="description-list">
          {tokens(prefixes).map(({ name, value }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd style={style(`var(${name})`)}>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      </Card>
    ))}
  </Page>
)

export default DesignTokensPage

interface TokenGroup {
  readonly title: string
  readonly prefixes: ReadonlyArray<string>
  readonly style: (value: string) => CSSProperties
}

/** A token belongs to the group of its prefix, or else to the group without prefixes. */
const groups = (): ReadonlyArray<TokenGroup> => [
  { title: t("Sizes of text"), prefixes: ["--font-"], style: (fontSize) => ({ fontSize }) },
  { title: t("Weights of text"), prefixes: ["--weight-"], style: (fontWeight) => ({ fontWeight }) },
  {
    title: t("Spaces"),
    prefixes: ["--space-"],
    style: (space) => ({
      borderInlineStart: `${space} solid var(--accent-fill)`,
      paddingInlineStart: "var(--space-xs)",
    }),
  },
  {
    title: t("Corners"),
    prefixes: ["--radius-"],
    style: (borderRadius) => ({
      borderRadius,
      background: "var(--sunken)",
      paddingInline: "var(--space-md)",
    }),
  },
  { title: t("Shadows"), prefixes: ["--shadow-"], style: (boxShadow) => ({ boxShadow }) },
  {
    title: t("Colors"),
    prefixes: [],
    style: (color) => ({ borderInlineStart: `48px solid ${color}`, paddingInlineStart: "var(--space-sm)" }),
  },
]

const tokens = (prefixes: ReadonlyArray<string>) => {
  const root = getComputedStyle(document.documentElement)
  const others = groups().flatMap((group) => group.prefixes)
  const hasPrefix = (name: string, from: ReadonlyArray<string>) =>
    from.some((prefix) => name.startsWith(prefix))
  return [...tokenNames()]
    .map((name) => ({ name, value: root.getPropertyValue(name) }))
    .filter(({ name, value }) =>
      prefixes.length > 0
        ? hasPrefix(name, prefixes)
        : !hasPrefix(name, others) && CSS.supports("color", value),
    )
}

/** The custom properties of the page itself, without the component library. */
const tokenNames = (): ReadonlySet<string> =>
  new Set(
    [...document.styleSheets]
      .flatMap(({ cssRules }) => [...cssRules])
      .filter((rule) => rule instanceof CSSStyleRule && rule.selectorText.startsWith(":root"))
      .flatMap((rule) => [...(rule as CSSStyleRule).style])
      .filter((name) => name.startsWith("--") && !name.startsWith("--mantine-")),
  )
