// The pages in the sidebar. A page is added with one line; its `key` follows `g` as a shortcut.
import type { LinkProps } from "@tanstack/react-router";
import {
  Blocks,
  Cpu,
  FileStack,
  FolderGit2,
  GitPullRequest,
  LayoutDashboard,
  ListChecks,
  type LucideIcon,
  Rows3,
  Send,
  Settings,
  Workflow,
} from "lucide-react";

export interface NavigationItem {
  to: NonNullable<LinkProps["to"]>;
  label: string;
  icon: LucideIcon;
  key: string;
}

export interface NavigationGroup {
  /** Shown above the group; the first group has none. */
  label?: string;
  items: readonly NavigationItem[];
}

export const navigation: readonly NavigationGroup[] = [
  { items: [{ to: "/", label: "Overview", icon: LayoutDashboard, key: "o" }] },
  {
    label: "Work",
    items: [
      { to: "/jobs", label: "Jobs", icon: ListChecks, key: "j" },
      { to: "/runs", label: "Runs", icon: Workflow, key: "r" },
      { to: "/assets", label: "Assets", icon: FileStack, key: "f" },
      { to: "/queue", label: "Queue", icon: Rows3, key: "q" },
      { to: "/workers", label: "Workers", icon: Cpu, key: "w" },
    ],
  },
  {
    label: "Watching",
    items: [
      { to: "/apps", label: "Apps", icon: Blocks, key: "a" },
      { to: "/repositories", label: "Repositories", icon: FolderGit2, key: "p" },
      { to: "/deliveries", label: "Deliveries", icon: Send, key: "d" },
      { to: "/github", label: "GitHub", icon: GitPullRequest, key: "h" },
    ],
  },
  {
    label: "Installation",
    items: [{ to: "/settings", label: "Settings", icon: Settings, key: "s" }],
  },
];
