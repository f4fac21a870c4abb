import { inject, onMounted } from "vue"
import theme from "vitepress/theme-without-fonts"
import "./site.css"

const siteDataKey = Symbol("siteData")

export default {
  extends: theme,
  enhanceApp: ({ app, siteData }) => void app.provide(siteDataKey, siteData),
  setup: () => {
    const siteData = inject(siteDataKey)
    // After hydration, which compares the menu with that of the file.
    onMounted(() => void listVersions(siteData))
  },
}

/**
 * Adds the other published versions to the menu of the version. A version does not know those that are published after it, so it
 * loads their names, from a file that scripts/help.mjs writes beside the versions.
 */
async function listVersions(siteData) {
  const { versionsFile, nav } = siteData.value.themeConfig
  if (versionsFile === undefined) return
  const file = new URL(versionsFile, location.href)
  const response = await fetch(file)
  if (!response.ok) return
  const current = nav.at(-1)
  const others = (await response.json())
    .filter((version) => version !== current.text)
    // Not pages of this site, which the router would load.
    .map((text) => ({ text, link: new URL(`${text}/`, file).href, target: "_self", noIcon: true }))
  const themeConfig = {
    ...siteData.value.themeConfig,
    nav: [...nav.slice(0, -1), { ...current, items: [...current.items, ...others] }],
  }
  siteData.value = { ...siteData.value, themeConfig }
}
