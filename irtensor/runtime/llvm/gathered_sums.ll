define i32 @kernel(i64 noundef %A_n0.0, i64 noundef %A_n1.1, ptr noalias nonnull noundef %A_pos1.2, ptr noalias nonnull noundef %A_crd1.3, ptr noalias nonnull noundef %A_vals.4, i64 noundef %x_n0.5, ptr noalias nonnull noundef %x_vals.6, i64 noundef %y_n0.7, ptr noalias nonnull noundef %y_vals.8) nounwind "irtensor-effort"="scalar" {
b0:
  %v9 = alloca i32
  %v10 = alloca double
  %v11 = alloca <8 x double>
  store i32 0, ptr %v9
  %v12 = icmp slt i64 0, %A_n0.0
  br i1 %v12, label %b1, label %b2
b1:
  %v13 = getelementptr inbounds i32, ptr %A_pos1.2, i64 0
  %v14 = load i32, ptr %v13, align 4
  store i32 %v14, ptr %v9
  br label %b2
b2:
  %v15 = icmp slt i64 0, %A_n0.0
  br i1 %v15, label %b3, label %b11
b3:
  %v16 = phi i64 [ 0, %b2 ], [ %v93, %b10 ]
  %v17 = load i32, ptr %v9
  %v18 = add nsw i64 %v16, 1
  store double 0x0000000000000000, ptr %v10
  %v19 = sext i32 %v17 to i64
  %v20 = getelementptr inbounds i32, ptr %A_pos1.2, i64 %v18
  %v21 = load i32, ptr %v20, align 4
  store i32 %v21, ptr %v9
  %v22 = sext i32 %v21 to i64
  %v23 = sub nsw i64 %v22, %v19
  %v24 = icmp sgt i64 %v23, 4
  br i1 %v24, label %b4, label %b7
b4:
  %v25 = sdiv i64 %v23, 8
  %v26 = insertelement <8 x double> undef, double 0x8000000000000000, i64 0
  %v27 = shufflevector <8 x double> %v26, <8 x double> undef, <8 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v28 = load double, ptr %v10
  %v29 = insertelement <8 x double> %v27, double %v28, i64 0
  store <8 x double> %v29, ptr %v11
  %v30 = icmp slt i64 0, %v25
  br i1 %v30, label %b5, label %b6
b5:
  %v31 = phi i64 [ 0, %b4 ], [ %v47, %b5 ]
  %v32 = mul nsw i64 %v31, 8
  %v33 = add nsw i64 %v19, %v32
  %v34 = load <8 x double>, ptr %v11
  %v35 = getelementptr inbounds double, ptr %A_vals.4, i64 %v33
  %v36 = load <8 x double>, ptr %v35, align 8
  %v37 = getelementptr inbounds i32, ptr %A_crd1.3, i64 %v33
  %v38 = load <8 x i32>, ptr %v37, align 4
  %v39 = sext <8 x i32> %v38 to <8 x i64>
  %v40 = getelementptr double, ptr %x_vals.6, <8 x i64> %v39
  %v41 = insertelement <8 x i64> undef, i64 8, i64 0
  %v42 = shufflevector <8 x i64> %v41, <8 x i64> undef, <8 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v43 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %v42
  %v44 = call <8 x double> @llvm.masked.gather.v8f64.v8p0(<8 x ptr> %v40, i32 8, <8 x i1> %v43, <8 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>)
  %v45 = fmul contract <8 x double> %v36, %v44
  %v46 = fadd contract reassoc <8 x double> %v34, %v45
  store <8 x double> %v46, ptr %v11
  %v47 = add nsw i64 %v31, 1
  %v48 = icmp slt i64 %v47, %v25
  br i1 %v48, label %b5, label %b6, !llvm.loop !1
b6:
  %v49 = mul nsw i64 %v25, 8
  %v50 = add nsw i64 %v19, %v49
  %v51 = sub nsw i64 %v23, %v49
  %v52 = load <8 x double>, ptr %v11
  %v53 = getelementptr inbounds double, ptr %A_vals.4, i64 %v50
  %v54 = insertelement <8 x i64> undef, i64 %v51, i64 0
  %v55 = shufflevector <8 x i64> %v54, <8 x i64> undef, <8 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v56 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %v55
  %v57 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr %v53, i32 8, <8 x i1> %v56, <8 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>)
  %v58 = getelementptr inbounds i32, ptr %A_crd1.3, i64 %v50
  %v59 = insertelement <8 x i64> undef, i64 %v51, i64 0
  %v60 = shufflevector <8 x i64> %v59, <8 x i64> undef, <8 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v61 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %v60
  %v62 = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr %v58, i32 4, <8 x i1> %v61, <8 x i32> zeroinitializer)
  %v63 = sext <8 x i32> %v62 to <8 x i64>
  %v64 = getelementptr double, ptr %x_vals.6, <8 x i64> %v63
  %v65 = insertelement <8 x i64> undef, i64 %v51, i64 0
  %v66 = shufflevector <8 x i64> %v65, <8 x i64> undef, <8 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v67 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %v66
  %v68 = call <8 x double> @llvm.masked.gather.v8f64.v8p0(<8 x ptr> %v64, i32 8, <8 x i1> %v67, <8 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>)
  %v69 = fmul contract <8 x double> %v57, %v68
  %v70 = fadd contract reassoc <8 x double> %v52, %v69
  %v71 = insertelement <8 x i64> undef, i64 %v51, i64 0
  %v72 = shufflevector <8 x i64> %v71, <8 x i64> undef, <8 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v73 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %v72
  %v74 = select <8 x i1> %v73, <8 x double> %v70, <8 x double> %v52
  store <8 x double> %v74, ptr %v11
  %v75 = load <8 x double>, ptr %v11
  %v76 = call contract reassoc double @llvm.vector.reduce.fadd.v8f64(double 0x8000000000000000, <8 x double> %v75)
  store double %v76, ptr %v10
  br label %b10
b7:
  %v77 = icmp slt i64 %v19, %v22
  br i1 %v77, label %b8, label %b9
b8:
  %v78 = phi i64 [ %v19, %b7 ], [ %v89, %b8 ]
  %v79 = getelementptr inbounds i32, ptr %A_crd1.3, i64 %v78
  %v80 = load i32, ptr %v79, align 4
  %v81 = sext i32 %v80 to i64
  %v82 = getelementptr inbounds double, ptr %A_vals.4, i64 %v78
  %v83 = load double, ptr %v82, align 8
  %v84 = getelementptr inbounds double, ptr %x_vals.6, i64 %v81
  %v85 = load double, ptr %v84, align 8
  %v86 = fmul contract double %v83, %v85
  %v87 = load double, ptr %v10
  %v88 = fadd contract reassoc double %v87, %v86
  store double %v88, ptr %v10
  %v89 = add nsw i64 %v78, 1
  %v90 = icmp slt i64 %v89, %v22
  br i1 %v90, label %b8, label %b9, !llvm.loop !3
b9:
  br label %b10
b10:
  %v91 = load double, ptr %v10
  %v92 = getelementptr inbounds double, ptr %y_vals.8, i64 %v16
  store double %v91, ptr %v92, align 8
  %v93 = add nsw i64 %v16, 1
  %v94 = icmp slt i64 %v93, %A_n0.0
  br i1 %v94, label %b3, label %b11, !llvm.loop !4
b11:
  ret i32 0
}
!0 = !{!"llvm.loop.unroll.disable"}
!1 = distinct !{!1, !0}
!2 = !{!"llvm.loop.vectorize.enable", i1 false}
!3 = distinct !{!3, !0, !2}
!4 = distinct !{!4, !0}
