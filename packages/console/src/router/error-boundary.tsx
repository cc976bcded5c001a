import { Component, type ComponentType, type ReactNode } from 'react';

export interface ErrorScreenProps {
  error: Error;
  /** Loads the failed screen again. */
  retry(): void;
}

interface Props {
  failed: ComponentType<ErrorScreenProps>;
  retry(): void;
  /** The error is dropped when this value changes. */
  resetsWith: unknown;
  children: ReactNode;
}

interface Caught {
  error: Error | null;
  resetsWith: unknown;
}

/** Shows a screen's error in its place. Only a class can catch errors of rendering. */
export class ErrorBoundary extends Component<Props, Caught> {
  override state: Caught = { error: null, resetsWith: this.props.resetsWith };

  static getDerivedStateFromError = (error: Error): Partial<Caught> => ({ error });

  static getDerivedStateFromProps({ resetsWith }: Props, state: Caught): Caught | null {
    return resetsWith === state.resetsWith ? null : { error: null, resetsWith };
  }

  override render() {
    const { failed: Failed, retry, children } = this.props;
    const { error } = this.state;
    return error ? <Failed error={error} retry={retry} /> : children;
  }
}
