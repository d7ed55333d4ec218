/**
 * A part of the page that fails says so and leaves the rest alone: what was edited is in the
 * documents, not in what is drawn.
 */
import { Component, type ReactNode } from "react";

interface Props {
  readonly name: string;
  readonly children: ReactNode;
}

export class Guarded extends Component<Props, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {};

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="broken" role="alert">
        <p>
          The {this.props.name} failed: {error.message}. Nothing of what you edited is lost.
        </p>
        <button type="button" onClick={() => this.setState({ error: undefined as never })}>
          Try again
        </button>
      </div>
    );
  }
}
