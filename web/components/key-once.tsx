// A new key in a window that only its own button closes, once somebody says that the key is stored.
import { useState } from "react";
import { Button } from "./button.tsx";
import { Checkbox } from "./checkbox.tsx";
import { Dialog } from "./dialog.tsx";
import { SecretValue, type SecretValueProps } from "./secret-value.tsx";

export interface KeyOnceProps extends SecretValueProps {
  onClose: () => void;
}

export function KeyOnce({ onClose, ...secret }: KeyOnceProps) {
  const [isStored, setIsStored] = useState(false);
  const title = `New ${secret.name.toLowerCase()}`;
  return (
    <Dialog label={title} isSticky onClose={onClose}>
      <div className="space-y-4 p-5">
        <h2 className="font-semibold text-lg">{title}</h2>
        <p className="text-ink-soft">Store it now: it is never shown again.</p>
        <dl>
          <SecretValue {...secret} />
        </dl>
        <Checkbox isOn={isStored} onChange={setIsStored}>
          I have stored it
        </Checkbox>
      </div>
      <div className="flex justify-end border-line border-t bg-canvas px-5 py-3">
        <Button look="primary" disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
