// Where this admin is signed in, and how the dashboard looks in this browser.
import { PageHeader } from "../components/page-header.tsx";
import { SessionList } from "../components/session-list.tsx";
import { SettingsSection } from "../components/settings-section.tsx";
import { ThemePicker } from "../components/theme-picker.tsx";

export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" />
      <SettingsSection
        title="Signed-in places"
        description="Where you are signed in now. Sign out any place that you do not know."
      >
        <SessionList />
      </SettingsSection>
      <SettingsSection
        title="Appearance"
        description="Remembered on this device only. System follows its own setting."
      >
        <div className="max-w-72">
          <ThemePicker />
        </div>
      </SettingsSection>
    </>
  );
}
