import type { ReactNode } from "react"

const icon = (children: ReactNode) => (
  <svg
    width="1.15em"
    height="1.15em"
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.7"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {children}
  </svg>
)

// Every icon has text beside it with the same meaning.

export const Bell = () => (
  <svg width="32" height="32" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="8" fill="var(--accent-fill)" />
    <path
      d="M16 6.500a1.600 1.600 0 0 1 1.600 1.600v.6c3 .8 4.900 3.400 4.900 6.700v3.300l1.800 2.700c.4.6 0 1.400-.8 1.400h-15c-.8 0-1.200-.8-.8-1.400l1.800-2.700v-3.300c0-3.300 1.900-5.900 4.900-6.700v-.6A1.600 1.600 0 0 1 16 6.500Z"
      fill="var(--on-accent)"
    />
    <path d="M13.200 24.400h5.600a2.800 2.600 0 0 1-5.600 0Z" fill="var(--logo-clapper)" />
  </svg>
)

export const Gauge = () => icon(<path d="M3 14a7 7 0 1 1 14 0M10 14l3.500-4.500M10 14h.01" />)
export const Siren = () =>
  icon(
    <path d="M10 3.500c2.800 0 4.500 2 4.500 4.800v3l1.500 2.700H4l1.500-2.700v-3c0-2.800 1.700-4.800 4.500-4.800ZM8.300 16.500h3.400" />,
  )
export const Flame = () =>
  icon(
    <path d="M10 2.500c.5 3 4.500 4.700 4.500 9a4.500 4.500 0 0 1-9 0c0-1.700.8-3 2-4 .2 1.200.8 1.900 1.500 2.200-.3-2.700 0-5.200 1-7.200Z" />,
  )
export const Send = () => icon(<path d="m3 9.500 14-6-5 13.500-2.800-5.700L3 9.500Zm6.200 1.800L17 3.500" />)
export const Hook = () =>
  icon(
    <path d="M8 7.500a3 3 0 1 1 3.400 3L9.500 14M12 12.500h2.500a2.500 2.500 0 1 1-2.300 3.500M6.500 10a3.200 3.200 0 1 0 2.900 5h4" />,
  )
export const Database = () =>
  icon(
    <path d="M4 5.500c0-1.400 2.700-2.500 6-2.500s6 1.100 6 2.500-2.700 2.500-6 2.500-6-1.100-6-2.500Zm0 0v9c0 1.400 2.700 2.500 6 2.500s6-1.100 6-2.500v-9M4 10c0 1.400 2.700 2.500 6 2.500s6-1.100 6-2.500" />,
  )
export const Key = () =>
  icon(
    <path d="M8.500 11.500 16.500 3.500M14 6l2 2M11.500 8.500l1.500 1.500M9 13.500a3 3 0 1 1-6 0 3 3 0 0 1 6 0Z" />,
  )
export const Check = () => icon(<path d="m4.500 10.500 3.700 3.700 7.300-8" />)
export const Cross = () => icon(<path d="m5.500 5.500 9 9m0-9-9 9" />)
export const Warning = () => icon(<path d="M10 3.500 18 16.500H2L10 3.500Zm0 5v3.500m0 2.200v.1" />)
export const Off = () =>
  icon(<path d="M16.500 10a6.500 6.500 0 1 1-13 0 6.500 6.500 0 0 1 13 0ZM5.500 5.500l9 9" />)
export const Pause = () => icon(<path d="M7.500 5v10M12.500 5v10" strokeWidth="2.400" />)
export const Clock = () =>
  icon(<path d="M16.500 10a6.500 6.500 0 1 1-13 0 6.500 6.500 0 0 1 13 0ZM10 6.500V10l2.500 1.500" />)
export const Calendar = () => icon(<path d="M3.500 5h13v11.500h-13V5Zm0 4h13M7 3v3.500M13 3v3.500" />)
export const Info = () =>
  icon(<path d="M16.500 10a6.500 6.500 0 1 1-13 0 6.500 6.500 0 0 1 13 0ZM10 9.500v4M10 6.500v.1" />)
export const ArrowRight = () => icon(<path d="M4 10h12m-4.500-4.500L16 10l-4.500 4.500" />)
export const Question = () =>
  icon(
    <path d="M7.500 7.800a2.500 2.500 0 1 1 3.600 2.200c-.7.4-1.100.9-1.100 1.700v.3m0 2.200v.1M17.500 10a7.500 7.500 0 1 1-15 0 7.500 7.500 0 0 1 15 0Z" />,
  )
export const Exit = () =>
  icon(<path d="M12 3.500H5a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h7M8.500 10H17m-3-3 3 3-3 3" />)
export const Plus = () => icon(<path d="M10 4v12M4 10h12" />)
export const ArrowUp = () => icon(<path d="M10 16V4.500m-4.500 4.500L10 4.500 14.500 9" />)
export const ArrowDown = () => icon(<path d="M10 4v11.500m4.500-4.500L10 15.500 5.500 11" />)
export const Home = () => icon(<path d="m3 9.500 7-6 7 6M5 8v8.500h10V8M8.500 16.500v-4h3v4" />)
export const Layers = () =>
  icon(<path d="m10 3 7 3.500-7 3.500-7-3.500L10 3Zm-7 7 7 3.500 7-3.500M3 13.500 10 17l7-3.500" />)
export const Search = () => icon(<path d="M14 9A5 5 0 1 1 4 9a5 5 0 0 1 10 0Zm-1.500 3.500L17 17" />)
export const Menu = () => icon(<path d="M3 5.500h14M3 10h14M3 14.500h14" />)
export const Sliders = () =>
  icon(
    <path d="M3 6h7m4 0h3M3 14h3m4 0h7M14 6a2 2 0 1 1-4 0 2 2 0 0 1 4 0ZM10 14a2 2 0 1 1-4 0 2 2 0 0 1 4 0Z" />,
  )
export const Sidebar = () =>
  icon(<path d="M4 4h12a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Zm4 0v12" />)
export const Rule = () => icon(<path d="M4 5h8M4 10h5M4 15h4M11 14l2.500 2.500L17 11" />)
export const Scales = () => icon(<path d="M10 3v14M6 17h8M4 6h12M4 6l-2 5.500h4L4 6Zm12 0-2 5.500h4L16 6Z" />)
export const Person = () =>
  icon(<path d="M13 6.500a3 3 0 1 1-6 0 3 3 0 0 1 6 0ZM4 17c.5-3.500 2.800-5 6-5s5.500 1.500 6 5" />)
export const Mute = () =>
  icon(
    <path d="M7 4.500a4.600 4.600 0 0 1 7.500 3.800v3l1.200 2.200M13 14H4l1.500-2.700v-3M8.300 16.500h3.400M3 3l14 14" />,
  )
export const Refresh = () =>
  icon(
    <path d="M16 8a6.200 6.200 0 0 0-11.500-1M4 3.500V7h3.500M4 12a6.200 6.200 0 0 0 11.500 1M16 16.500V13h-3.500" />,
  )
export const Download = () => icon(<path d="M10 3.500v9m-4-4 4 4 4-4M4 16.500h12" />)
export const Trash = () =>
  icon(<path d="M4 5.500h12M8 5.500v-2h4v2M5.500 5.500l.8 11h7.400l.8-11M8.500 8.500v5M11.500 8.500v5" />)
export const Edit = () => icon(<path d="m12.500 4.500 3 3L7 16H4v-3l8.500-8.500Zm-2 2 3 3" />)
