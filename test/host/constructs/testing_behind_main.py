def run(x):
    return launch(x)


@triton.testing.perf_report(
    triton.testing.Benchmark(x_names=["N"], x_vals=[128 * i for i in range(2, 10)], line_arg="provider",
                             line_vals=["triton"], line_names=["Triton"], ylabel="GB/s", plot_name="p", args={}))
def benchmark(N, provider):
    x = torch.randn(8, N, device="cuda")
    ms = triton.testing.do_bench(lambda: run(x))
    return ms


if __name__ == "__main__":
    benchmark.run(print_data=True)
# --- parse_reject: clock
def run(x):
    return launch(x, 256 if triton.testing.do_bench(lambda: launch(x)) < 1 else 128)
