// The logo, the pages and the signed-in admin: beside the page on a wide screen, in the drawer on a narrow one.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type NavigationGroup, navigation } from "../navigation.ts";
import { overviewQuery } from "../overview-query.ts";
import { useApi } from "../use-api.ts";
import { Logo } from "./logo.tsx";
import { UserMenu, type UserMenuProps } from "./user-menu.tsx";

export function Sidebar(props: UserMenuProps) {
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-14 items-center gap-2.5 px-4">
        <Logo />
        <span className="font-semibold text-lg tracking-tight">Croft</span>
        <Version />
      </div>
      <nav aria-label="Main" className="flex-1 space-y-4 overflow-y-auto px-2 pt-1 pb-4">
        {navigation.map((group) => (
          <Group key={group.items[0]?.to} {...group} />
        ))}
      </nav>
      <div className="border-line border-t p-2">
        <UserMenu {...props} />
      </div>
    </div>
  );
}

function Group({ label, items }: NavigationGroup) {
  return (
    <div>
      {label !== undefined && <p className="px-2 pb-1 text-ink-faint text-xs">{label}</p>}
      <ul className="space-y-px">
        {items.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: to === "/" }}
              className="group flex h-8 items-center gap-2.5 rounded-md px-2 text-ink-soft text-sm transition-colors hover:bg-hover hover:text-ink data-[status=active]:bg-hover data-[status=active]:font-medium data-[status=active]:text-ink max-md:h-10"
            >
              <Icon
                className="size-4 text-ink-faint group-data-[status=active]:text-accent"
                aria-hidden
              />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The server's own version: asked once, whichever page is open. */
function Version() {
  const api = useApi();
  const version = useQuery({
    ...overviewQuery(api),
    select: (overview) => overview.version,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <span className="pt-0.5 text-ink-faint text-xs tabular-nums">{version.data}</span>;
}
